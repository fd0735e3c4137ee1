"""A card of a graph for people outside: what was promised and spent, from the ledger and public facts alone."""
