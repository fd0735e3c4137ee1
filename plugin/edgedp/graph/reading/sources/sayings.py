"""A failure of a driver as a sentence of ours: its own words may repeat rows, the statement and the address."""

from __future__ import annotations

import re

from edgedp.words.shown import shortened

_BY_STATE = {
    "42P01": "has no such table; check its name, and its schema before a dot",
    "42703": "has no such column; check its name, which is taken as it is written",
    "42501": "does not let this user read that; ask its owner for the right to select",
    "3F000": "has no such schema; check the name of the table",
    "28P01": "refused the password; check {}",
}
_BY_WORDS = (
    (r"no password supplied|fe_sendauth|using password: NO", "asks for a password; give it in {}"),
    (r"password authentication failed|using password: YES|Login failed", "refused the password; check {}"),
    (r"role .* does not exist|no pg_hba|is not allowed to connect",
     "does not let this user in; check the user in the address"),
    (r"ERROR (1044|1142|1143) |permission was denied",
     "does not let this user read that; ask its owner for the right to select"),
    (r"ERROR 1046 ", "is a server; add the name of a database to the address"),
    (r"database .* does not exist|ERROR 1049 |Cannot open database",
     "has no database of that name; check the address"),
    (r"URL parameter", "is not asked with such a setting; correct what stands after ? in the address"),
    (r"secure connection|insecure transport|certificate|ssl-mode",
     "and the address differ in how a connection is encrypted; correct what stands after ? in the address"),
    (r"could not translate|Connection refused|timeout expired|timed out|No such file|Network is unreach"
     r"|Could not connect|lookup address|Name or service not known|No address",
     "cannot be reached; check host, port and network"),
    (r"server closed|terminating connection|connection .*(lost|reset|closed)|SSL SYSCALL|no connection to the server"
     r"|\A\s*\Z|IoError|CodecError|Connection reset|Broken pipe|os error|ERROR (1053|1317|1927) ",
     "broke off in the middle; load it again"),
    (r"no such table|Table with name|ERROR 1146 |Invalid object name", "has no such table; check its name"),
    (r"no such column|Referenced column|Binder Error|ERROR 1054 |Invalid column name",
     "has no such column; check its name"),
    (r"ERROR 1060 |was specified multiple times", "has two columns of one name; rename one in the query"),
    (r"Could not retrieve|convert the value|panicked",
     "holds a value or a type that its driver does not take, such as a date of zeros; select the ends by a query"),
    (r"not a database|not a valid DuckDB|Serialization Error|malformed|newer version",
     "is not a file of that database, or is damaged; give the path of a whole one"),
    (r"is locked|Conflicting lock|different configuration|busy|ERROR 1205 ",
     "is in use by another program that writes to it; load it when that has ended"),
    (r"syntax error|Parser Error|incomplete input|ERROR 1064 |Incorrect syntax",
     "does not understand the query; correct it"),
    (r"file system operations are disabled",
     "is asked for a file beside it, whose rows have another ledger; give the address of the file, or load the query"),
    (r"readonly|read-only|READ ONLY", "was asked to write, and is only read; give a query that selects"),
)  # fmt: skip


def sentence_of(error: Exception, passwords: str) -> str:
    """Return what stands after the name of a database.

    Parameters
    ----------
    error : Exception
        Of a driver.
    passwords : str
        Where the password of such a database comes from.

    Examples
    --------
    >>> sentence_of(RuntimeError("ERROR 1146 (42S02): Table 'bank.pay' doesn't exist"), "MYSQL_PWD")
    'has no such table; check its name'
    """
    told = str(error)
    says = _BY_STATE.get(str(getattr(error, "sqlstate", None)))
    says = says or next((says for words, says in _BY_WORDS if re.search(words, told)), None)
    if says is None:
        kind = shortened(type(error).__name__)
        return f"cannot be read ({kind}); check the query, or run it in a program of its own"
    return says.format(passwords)
