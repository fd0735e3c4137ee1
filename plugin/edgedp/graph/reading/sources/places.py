"""Addresses of edges as the registry keeps them: one place has one spelling, so that it has one ledger."""

from __future__ import annotations

import glob
import os
import posixpath
import re
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, unquote, unquote_plus

from edgedp.graph.reading.sources.databases import Database
from edgedp.graph.reading.sources.dialects import whole_name
from edgedp.graph.reading.sources.servers import host_of, server_of
from edgedp.words.errors import ParameterError
from edgedp.words.places import expanded, is_utf8

_SAME = {
    "s3": "s3a", "s3n": "s3a", "gcs": "gs", "abfs": "az", "abfss": "az", "wasb": "az", "wasbs": "az", "http": "https",
    "duckdb": "sqlite",
}  # fmt: skip
"""What reaches the same rows: DuckDB opens files of SQLite, too."""
_SAID = re.compile(r"((?:az|hdfs)://[^/@]*)@[^/]*")
"""A folded address that names the account or the server, which the environment says where it does not."""
_NAMED_BEFORE_HOST = frozenset(
    {"abfs", "abfss", "wasb", "wasbs", "hdfs", "viewfs", "webhdfs", "swebhdfs", "o3fs", "ofs"}
)
_BUCKETS = frozenset({"s3", "s3a", "s3n", "gs", "oss", "cosn", "obs"})
"""Object stores, whose buckets have no port."""

CATALOGUED = "table:"
"""How the name of a table of Spark's catalogues begins, where an address is asked for."""


def is_catalogued(address: Any) -> bool:
    """Return whether an address is the name of a table of a catalogue, which Spark alone finds.

    Examples
    --------
    >>> is_catalogued("table:bank.payments"), is_catalogued("./table:bank.payments")
    (True, False)
    """
    return isinstance(address, str) and address.startswith(CATALOGUED)


def canonical(address: Any, name: str) -> str:
    """Return an address as Spark and the registry have it: one of a file is whole.

    Raises
    ------
    ParameterError
        It holds a password or a query, which the registry would keep, what Spark takes for a pattern, or bytes of a
        path that are no text.

    Examples
    --------
    >>> canonical("s3a://lake/edges/", "edges")
    's3a://lake/edges'
    >>> canonical("S3A://lake//payments/../edges", "edges")
    's3a://lake/edges'
    """
    if not isinstance(address, (str, os.PathLike)) or not str(address).strip():
        raise ParameterError(f"{name} is not an address; give a path, or an address that Spark reads")
    place = _canonical(os.fspath(address), name)
    if not is_utf8(place):
        raise ParameterError(f"{name} is at a path that is not UTF-8, which no registry can keep; rename it")
    return place


def _canonical(text: str, name: str) -> str:
    if any(ord(sign) < 32 or sign in "*?{}[]," for sign in _NUMBER.sub("", text)):
        raise ParameterError(f"{name} holds a pattern or a query, must be the address of one file or folder")
    if text[:5].lower() == "file:" and not text[5:].startswith("//"):
        text = text[5:]
    scheme, mark, rest = text.partition("://")
    if not mark:
        return "file://" + os.path.realpath(expanded(text, name))
    host, slash, path = rest.partition("/")
    if _holds_credentials(scheme.lower(), host, rest):
        raise ParameterError(
            f"{name} holds a password or a key, must be only an address; give these to Spark's settings"
        )
    if scheme.lower() == "file":
        return "file://" + os.path.realpath(rest if host.lower() != "localhost" else slash + path)
    # As Spark itself reads it: otherwise one folder could be spelled in many ways.
    if scheme.lower() in _WEB:
        if not re.fullmatch(r"[\w.:[\]-]+", host, re.ASCII):
            # One host could be spelled in many ways, and the ledger not know it.
            raise ParameterError(
                f"{name} are at a host with a sign such as % or #, or letters beyond ASCII; write the host plainly, "
                "such as xn--bcher-kva.de, and a slash before the path"
            )
        path = _as_requested(path)
    normal = posixpath.normpath("/" + path.lstrip("/")).rstrip("/") if slash else ""
    return f"{scheme.lower()}://{host}{normal}"


_WEB = ("http", "https")
_NUMBER = re.compile(r"\Ahttps?://\[[0-9a-f:.]+\]", re.IGNORECASE)
"""A host of the web by its number, which alone stands in brackets."""
_AWS = r"(?:amazonaws\.(?:com(?:\.cn)?|eu)|c2s\.ic\.gov|sc2s\.sgov\.gov|csp\.hci\.ic\.gov|cloud\.adc-e\.uk)"
"""What hosts of each part of Amazon's cloud end with."""
_AZURE = (
    r"(?:core\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net|cloudapi\.de|sovcloud-api\.\w+|eaglex\.ic\.gov"
    r"|microsoft\.scloud)|storage\.azure\.net)"
)
"""And those of Azure's; of anybody else's `core.` nothing is known."""
_OBJECTS = {
    rf"(?:(.+)\.)?bucket\.vpce-[\w-]+\.s3\.[\w-]+\.vpce\.{_AWS}": "s3a",
    rf"(?:(.+)\.)?s3[.-](?:[\w-]+\.)*{_AWS}": "s3a",
    r"(?:(?:c|(.+))\.)?(?:commondata|content-)?storage(?:-[\w-]+)?(?:\.mtls|\.p|\.[\w-]+\.rep)?\.googleapis\.com": "gs",
    r"()storage\.cloud\.google\.com": "gs",
    rf"(\w+)(?:-secondary)?(?:\.[\w-]+)*\.(blob|dfs|web)\.{_AZURE}": "az",
}
"""Hosts of the web that have the objects of buckets: of one, named before them, or of all, named behind."""


def _as_requested(path: str) -> str:
    """Return a path as a server is asked for it, in one spelling: without a fragment, and only what must be in percent.

    Where one percent sign says no sign, none does, as requests has it.

    Examples
    --------
    >>> _as_requested("%65dges/%c3%a9%2f.csv#top"), _as_requested("é 9%.csv"), _as_requested("a%20b%.csv")
    ('edges/%C3%A9%2F.csv', '%C3%A9%209%25.csv', 'a%2520b%25.csv')
    """
    path = path.partition("#")[0]
    if re.search("%(?![0-9a-fA-F]{2})", path):
        path = path.replace("%", "%25")
    whole = quote(path, safe="!$%&'()*+,/:;=@~")
    plain = re.sub(
        "%(2[dDeE]|3[0-9]|[46][1-9a-fA-F]|5[0-9aAfF]|7[0-9aAeE])", lambda sign: chr(int(sign[1], 16)), whole
    )
    return re.sub("%[0-9a-fA-F]{2}", lambda sign: sign[0].upper(), plain)


def canonical_pattern(address: Any, name: str) -> tuple[str, str] | None:
    """Return where the files of a pattern are, and the steps of the pattern below it; None: it is no pattern.

    The place is the folder, or the beginning of the keys, that the first sign of a pattern is in: its ledger is that of
    all there, for another pattern may match the same files.

    Raises
    ------
    ParameterError
        It holds a secret, steps back, or has no folder of its own.

    Examples
    --------
    >>> canonical_pattern("s3://Lake/pay/2024-*/*.parquet", "edges"), canonical_pattern("s3://lake/pay", "edges")
    (('s3://Lake/pay', '2024-*/*.parquet'), None)
    """
    text = os.fspath(address) if isinstance(address, (str, os.PathLike)) else ""
    if not glob.has_magic(text) or text[:4].lower() == "http" or os.path.lexists(text):
        return None
    scheme, mark, rest = text.partition("://")
    rest = rest if mark else text
    steps = rest.split("/")
    fixed = next(i for i, step in enumerate(steps) if glob.has_magic(step))
    base, below = "/".join(steps[:fixed]), steps[fixed:]
    if (
        any(ord(sign) < 32 or sign in "{}," for sign in text)
        or ".." in below
        or (mark and not base.strip("/"))
    ):
        raise ParameterError(
            f"{name} is a pattern with braces, a step back or no folder before it; give one such as s3://lake/pay/*.csv"
        )
    place = canonical(
        f"{scheme}{mark}{base}" if mark else base or ("/" if rest.startswith("/") else "."), name
    )
    return place, "/".join(below)


def _holds_credentials(scheme: str, host: str, rest: str) -> bool:
    """Return whether an address names a key or a password: in a secret a slash may stand, which ends no host.

    A container of Azure and a user of HDFS stand before an ``@`` too, and are no secret.

    Examples
    --------
    >>> _holds_credentials("s3a", "AK:SE", "AK:SE/CRET@lake/e"), _holds_credentials("s3a", "AK@lake", "AK@lake/e")
    (True, True)
    >>> _holds_credentials("abfss", "box@store", "box@store/e"), _holds_credentials("hdfs", "nn:8020", "nn:8020/a@b")
    (False, False)
    """
    user, named, _ = host.rpartition("@")
    if ":" in user or (named and scheme not in _NAMED_BEFORE_HOST):
        return True
    port = host.rpartition("@")[2].partition(":")[2]
    return "@" in rest and ":" in host and (scheme in _BUCKETS or not port.isdecimal())


def canonical_table(database: Database, table: str | None) -> str:
    """Return where the rows of a table are; a query may read every table, so its place is the whole database.

    Users, ports that are the default and settings say nothing of the place; SQLite and DuckDB know no case, and of the
    others that do not the server says so. A query in MySQL or SQL Server may read every database of its server.

    Examples
    --------
    >>> canonical_table(Database("postgresql", "postgresql://ada@DB.example.org:5432/bank?sslmode=require"), "payments")
    'postgresql://db.example.org/bank/public.payments'
    >>> server = Database("mariadb", "mariadb://ada@DB.example.org:3306/Bank")
    >>> canonical_table(server, "payments"), canonical_table(server, "other.Payments"), canonical_table(server, None)
    ('mysql://db.example.org/bank/payments', 'mysql://db.example.org/other/payments', 'mysql://db.example.org')
    """
    if database.kind in ("sqlite", "duckdb"):
        base, whole = database.whole_address(), table and (table if "." in table else f"main.{table}").lower()
    elif database.kind in _OF_SERVERS:
        return _canonical_of_server(database, table)
    else:
        host, port, name = server_of(database.address)
        if not name:
            raise ParameterError(_WITHOUT_NAME)
        base = f"postgresql://{host}{f':{port}' if port not in ('', '5432') else ''}/{quote(name, safe='')}"
        whole = table and whole_name(database.kind, table)
    return f"{base}/{quote(whole, safe='')}" if whole else base


_WITHOUT_NAME = "edges are in a database without a name; add it to the address"
_PORTS = {"postgresql": "5432", "mysql": "3306", "mssql": "1433"}
"""The usual ports of servers."""
_OF_SERVERS = {"mysql": ("mysql", ""), "mariadb": ("mysql", ""), "mssql": ("mssql", "dbo")}
"""What databases whose statements reach other databases are called, and the schema of a bare name."""


def _canonical_of_server(database: Database, table: str | None) -> str:
    scheme, schema = _OF_SERVERS[database.kind]
    host, port, name = server_of(database.address)
    base = f"{scheme}://{host}{f':{port}' if port not in ('', _PORTS[scheme]) else ''}"
    if table is None:
        return base
    steps = table.lower().split(".")
    default = [name.lower(), *([schema] if schema else [])]
    if not name and len(steps) <= len(default):
        raise ParameterError(_WITHOUT_NAME)
    return "/".join([base, *(quote(step, safe="") for step in default[: -len(steps) + 1 or None] + steps)])


def same_place(one: str, other: str) -> bool:
    """Return whether two canonical addresses are one place: hosts have no case, and ``s3a`` is ``s3``.

    Examples
    --------
    >>> same_place("hdfs://NN/e", "hdfs://nn/e"), same_place("hdfs://nn/e", "hdfs://nn/E")
    (True, False)
    """
    return _folded(one) == _folded(other)


def overlap(one: str, other: str) -> bool:
    """Return whether one canonical address is the other, or lies inside it: a folder's edges are those of its files.

    On this machine they are one, too, by a hard link, a mount or letters of another case.

    Examples
    --------
    >>> overlap("s3a://lake/e", "s3://LAKE/e/month=2024-06"), overlap("s3a://lake/e", "s3a://lake/edges")
    (True, False)
    >>> overlap("az://box/e", "abfss://box@one.dfs.core.windows.net/e"), overlap("hdfs:///e", "hdfs://nn/e")
    (True, True)
    >>> overlap("wasb://box@two.blob.core.windows.net/e", "abfss://box@one.dfs.core.windows.net/e")
    False
    """
    folded = [_folded(one), _folded(other)]
    if not all(map(_SAID.match, folded)):
        folded = [_SAID.sub(r"\1", each) for each in folded]
    short, long = sorted(folded, key=len)
    return long == short or long.startswith(short.rstrip("/") + "/") or _is_one_by_files(one, other)


_OF_FILES = ({"file"}, {"sqlite", "duckdb"})
"""What is compared by its files: a folder is read without a database in it, and that without what is beside it."""


def _is_one_by_files(one: str, other: str) -> bool:
    """Return whether a file or a folder of both is one, below which one goes on as the other does, or ends."""
    if not any({each.partition("://")[0] for each in (one, other)} <= kinds for kinds in _OF_FILES):
        return False
    first, second = _below_files(one), _below_files(other)
    return any(
        short == long[: len(short)]
        for each in first.keys() & second.keys()
        for short, long in [sorted((first[each], second[each]), key=len)]
    )


def _below_files(address: str) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return what an address says below each file and each folder that it goes through and that is there."""
    path, found = PurePosixPath("/" + address.partition("://")[2].lstrip("/")), {}
    for each in (path, *path.parents):
        with suppress(OSError, ValueError):
            there = os.stat(each)
            found[there.st_dev, there.st_ino] = path.relative_to(each).parts
    return found


def _folded(address: str) -> str:
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    if scheme in _WEB:  # an earlier registry had what stands behind a # in the host
        rest = rest.partition("#")[0]
    host, slash, path = rest.partition("/")
    host = host.lower()
    if scheme in _WEB and (there := _as_object(host, _as_requested(path))):
        return there
    if scheme == "hdfs":  # a user says nothing of the place
        server = host.rpartition("@")[2]
        host = f"@{_server(server, '8020')}" if server else ""
    if _SAME.get(scheme) == "az":  # an account has a host for each of its services
        host = host.partition(".")[0].removesuffix("-secondary")
    if scheme in _WEB:  # which no earlier registry had as requested; a file is found by any sign in percent
        host, path = _server(host, "80", "443"), unquote(_as_requested(path), errors="surrogateescape")
        path = posixpath.normpath(f"/{path}").lstrip("/")
    if scheme in _PORTS:  # nor this; and it had each percent of a name twice, and lowered names in percent
        host, path = _server(host, _PORTS[scheme]), unquote(re.sub("%(?:25)+", "%", path))
        path = path if scheme == "postgresql" else path.lower()
    return f"{_SAME.get(scheme, scheme)}{mark}{host}{slash}{path}"


def _as_object(host: str, path: str) -> str | None:
    """Return the folded address of an object that the web has, too; None where the host is none of a bucket.

    Examples
    --------
    >>> _as_object("lake.s3.eu-west-1.amazonaws.com", "a%20b"), _as_object("storage.googleapis.com", "lake/e")
    ('s3a://lake/a b', 'gs://lake/e')
    >>> _as_object("one.blob.core.windows.net", "box/e"), _as_object("example.org", "lake/e")
    ('az://box@one/e', None)
    >>> _as_object("one-secondary.blob.core.windows.net", "e.csv"), _as_object("lake.s3.amazonaws.com", "a+b%2B")
    ('az://$root@one/e.csv', 's3a://lake/a b+')
    """
    for hosts, scheme in _OBJECTS.items():
        if found := re.fullmatch(hosts, _server(host, "80", "443")):
            key = unquote_plus(path) if scheme == "s3a" else unquote(path)  # to S3 a plus is a blank
            if scheme == "az":
                named, account = (
                    "$web" if found[2] == "web" else "" if "/" in key else "$root",
                    f"@{found[1]}",
                )
            else:
                named, account = found[1], ""
            bucket, _, key = (f"{named}/{key}" if named else key).partition("/")
            return f"{scheme}://{bucket.lower()}{account}/{key}"
    return None


def _server(host: str, *usual: str) -> str:
    """Return a host with its port in one spelling, and without the port that is the default.

    Examples
    --------
    >>> _server("127.0.0.1:08080", "80"), _server("nn.", "8020"), _server("nn:08020", "8020")
    ('localhost:8080', 'nn', 'nn')
    """
    name, _, port = host.rpartition(":") if re.search(r":\d*$", host) else (host, "", "")
    port = port.lstrip("0")
    return host_of(name) + (f":{port}" if port not in ("", *usual) else "")
