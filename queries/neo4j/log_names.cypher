// Which accounts have a log, whether or not they are there.
//
// parameters: none
// columns:
//   name: the account's name
//   entries: number of rows of its log
// cost: all logs
MATCH (entry:EdgeDPEntry)
WHERE entry.seq > 0
WITH entry.name AS name, count(entry) AS entries
RETURN name AS name, entries AS entries
ORDER BY name
