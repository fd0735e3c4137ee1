// One person a name.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_person IF NOT EXISTS FOR (person:EdgeDPPerson) REQUIRE person.name IS UNIQUE
