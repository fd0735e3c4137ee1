// One person a token.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_person_token IF NOT EXISTS FOR (person:EdgeDPPerson) REQUIRE person.tokenHash IS UNIQUE
