"""Further files of a stored version, beside its database file and its rows, and the library of that file."""
