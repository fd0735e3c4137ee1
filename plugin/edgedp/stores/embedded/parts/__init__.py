"""Further files of a stored version, beside its database file and its rows."""
