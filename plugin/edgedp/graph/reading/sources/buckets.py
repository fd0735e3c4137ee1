"""Objects of S3, Google Cloud Storage and Azure by pyarrow's file systems; credentials come from the environment."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any, NoReturn
from urllib.parse import urlsplit

from edgedp.graph.reading.sources.folders import TABLES, Part, is_hidden, is_pattern, partition_of
from edgedp.words.errors import GraphFormatError, ParameterError, UnknownNameError
from edgedp.words.shown import address_shown

_SCHEMES = {
    "s3": "S3",
    "gs": "Google Cloud Storage",
    "gcs": "Google Cloud Storage",
    "az": "Azure",
    "abfs": "Azure",
}
_CREDENTIALS = {
    "S3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws",
    "Google Cloud Storage": "GOOGLE_APPLICATION_CREDENTIALS",
    "Azure": "AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}


@dataclass(frozen=True, slots=True)
class Bucket:
    """One object, a prefix or a pattern of them.

    Parameters
    ----------
    scheme, key : str
        ``s3`` and ``bucket/path``.
    files : pyarrow.fs.FileSystem
    """

    scheme: str
    key: str
    files: Any

    @property
    def name(self) -> str:
        """The address, which holds no secret."""
        return f"{self.scheme}://{self.key}"

    def opened(self) -> Any:
        """Open the object to be read from any place, so that columns that are not wanted are not fetched."""
        with object_errors(self.name, self.scheme):
            return self.files.open_input_file(self.key)

    def is_one(self) -> bool:
        """Whether this is one object, and not the beginning of many, or a pattern."""
        from pyarrow import fs

        with object_errors(self.name, self.scheme):
            found = self.files.get_file_info(self.key)
        if found.type == fs.FileType.NotFound and not is_pattern(self.key):
            raise UnknownNameError(f"{self.name!r} does not exist; check the bucket and the path")
        return bool(found.type == fs.FileType.File)

    def mark(self) -> tuple[int, ...]:
        """Return what changes when the object does: nothing, nothing, its size and the time of its last change."""
        with object_errors(self.name, self.scheme):
            found = self.files.get_file_info(self.key)
        return 0, 0, found.size, found.mtime_ns or 0

    def parts(self) -> tuple[tuple[Part, ...], int]:
        """Return all objects of a prefix or a pattern, sorted, and how many hidden ones are left out.

        Raises
        ------
        EdgeDPError
            There is none, or it is a table whose own log says which objects count.
        """
        from pyarrow import fs

        steps = self.key.rstrip("/").split("/")
        fixed = next((i for i, step in enumerate(steps) if is_pattern(step)), len(steps))
        base = "/".join(steps[:fixed])
        with object_errors(self.name, self.scheme):
            found = self.files.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
        inside = [info for info in found if info.type == fs.FileType.File]
        self._refuse_tables(base, [info.path for info in inside])
        wanted = re.compile("/".join(map(_step, steps)) + r"(/.*)?\Z")
        inside = [info for info in inside if wanted.match(info.path)]
        kept = [info for info in inside if not any(map(is_hidden, info.path[len(base) :].split("/")))]
        if not kept:
            raise UnknownNameError(f"{self.name!r} holds no object to read; check the bucket and the path")
        parts = [
            Part(
                path := PurePosixPath(info.path),
                partition_of(path),
                Bucket(self.scheme, info.path, self.files),
                (0, 0, info.size, info.mtime_ns),
            )
            for info in kept
        ]
        return tuple(sorted(parts, key=lambda part: part.path)), len(inside) - len(kept)

    def _refuse_tables(self, base: str, inside: list[str]) -> None:
        """Refuse a table by the folder that its log is in, above what was named or inside of it."""
        steps = base.split("/")
        above = ["/".join(steps[:i]) for i in range(2, len(steps) + 1)]
        for mark, what in TABLES.items():
            sign, ending = f"/{mark}/", ".metadata.json" if mark == "metadata" else ""
            within = any(sign in path and path.endswith(ending) for path in inside)
            if within or self._has_log([f"{folder}/{mark}" for folder in above], ending):
                raise GraphFormatError(
                    f"{self.name!r} is {what}, in which files of removed rows stay; "
                    "export its present rows to Parquet and load those"
                )

    def _has_log(self, folders: list[str], ending: str) -> bool:
        """Whether one of some folders is there, and holds a file of that ending where there is one."""
        from pyarrow import fs

        with object_errors(self.name, self.scheme):
            there = [
                found.path
                for found in self.files.get_file_info(folders)
                if found.type == fs.FileType.Directory
            ]
            return any(
                not ending
                or any(each.path.endswith(ending) for each in self.files.get_file_info(fs.FileSelector(path)))
                for path in there
            )


def bucket_of(source: str, environment: Mapping[str, str] = os.environ) -> Bucket | None:
    """Return what an address of a bucket names; None where it is none.

    Raises
    ------
    ParameterError
        It holds a secret, or names no bucket.
    """
    scheme, mark, key = source.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in _SCHEMES:
        return None
    where = _SCHEMES[scheme]
    if re.search(r"[@:]", key.partition("/")[0]) or re.search(r"\?\w+=", key):
        raise ParameterError(
            f"{address_shown(source)!r} holds more than a bucket and a path, which others can see there; give "
            f"credentials in the environment ({_CREDENTIALS[where]})"
        )
    if not re.match(r"[\w.-]+(/|$)", key, re.ASCII):
        raise ParameterError(
            f"{address_shown(source)!r} names no bucket, must be {scheme}://BUCKET/PATH; correct it"
        )
    with object_errors(f"{scheme}://{key}", scheme):
        return Bucket(scheme, key.rstrip("/"), _files(where, key.partition("/")[0], environment))


def _files(where: str, bucket: str, environment: Mapping[str, str]) -> Any:
    from pyarrow import fs

    if where == "S3":
        endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
        region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
        if region is None and endpoint is None:
            region = fs.resolve_s3_region(bucket)
        return fs.S3FileSystem(
            endpoint_override=endpoint, region=region, connect_timeout=10, request_timeout=60,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=3),
        )  # fmt: skip
    if where == "Azure":
        return fs.AzureFileSystem(**_azure(environment))
    emulator = urlsplit(environment.get("STORAGE_EMULATOR_HOST", ""))  # as Google's own clients read it
    there = {"endpoint_override": emulator.netloc, "scheme": emulator.scheme, "anonymous": True}
    # Without a limit it tries for a quarter of an hour.
    return fs.GcsFileSystem(retry_time_limit=timedelta(seconds=10), **(there if emulator.netloc else {}))


def _azure(environment: Mapping[str, str]) -> dict[str, str]:
    """Return how Azure's account is reached: by a connection string, or by a name and what opens it."""
    words = (
        each.partition("=") for each in environment.get("AZURE_STORAGE_CONNECTION_STRING", "").split(";")
    )
    given = {name.strip(): value.strip() for name, _, value in words}
    account = given.get("AccountName") or environment.get("AZURE_STORAGE_ACCOUNT_NAME")
    if not account:
        raise ParameterError(f"Azure needs the name of an account; give it in {_CREDENTIALS['Azure']}")
    key = given.get("AccountKey") or environment.get("AZURE_STORAGE_ACCOUNT_KEY")
    token = given.get("SharedAccessSignature") or environment.get("AZURE_STORAGE_SAS_TOKEN")
    found = {"account_name": account} | (
        {"account_key": key} if key else {"sas_token": token} if token else {}
    )
    if place := urlsplit(given.get("BlobEndpoint", "")).netloc:
        # An account has a host of its own, or is the first step of a path, as in the emulator.
        authority = place.removeprefix(account) if place.startswith(f"{account}.") else place
        scheme = urlsplit(given["BlobEndpoint"]).scheme
        found |= {
            f"{each}_storage_authority": authority.replace(".blob.", f".{each}.") for each in ("blob", "dfs")
        }
        found |= {f"{each}_storage_scheme": scheme for each in ("blob", "dfs")}
    return found


def _step(pattern: str) -> str:
    """Return the regular expression of one step of a path; two stars stand for any number of steps."""
    if pattern == "**":
        return ".*"
    return re.sub(r"\\[Zz]$", "", fnmatch.translate(pattern)).replace(".*", "[^/]*")


_BY_WORDS = (
    (r"ACCESS_DENIED|Forbidden|status 403|HTTP status 403|Unauthorized|INVALID_ACCESS_KEY|SIGNATURE|credential"
     r"|AuthorizationFailure|AuthenticationFailed|OAuth2|PERMISSION_DENIED|UNAUTHENTICATED",
     "refuses access; check the credentials ({}) and what they may read"),
    (r"NO_SUCH_BUCKET|NoSuchBucket|NO_SUCH_KEY|ContainerNotFound|Bucket .* not found|does not exist",
     "does not exist; check the bucket and the path"),
    (r"NETWORK_CONNECTION|curlCode|Could(n't| not) (connect|resolve)|timed out|Timeout|REQUEST_TIMEOUT",
     "cannot be reached, or broke off; check the network and load it again"),
)  # fmt: skip


@contextmanager
def object_errors(name: str, scheme: str) -> Iterator[None]:
    """Turn what a file system of objects raises into one sentence of ours."""
    try:
        yield
    except OSError as error:
        _refuse(error, name, scheme)


def is_of_service(error: BaseException) -> bool:
    """Whether a service said so, and not the reader of a format.

    Examples
    --------
    >>> is_of_service(OSError("AWS Error NETWORK_CONNECTION")), is_of_service(OSError("no magic bytes"))
    (True, False)
    """
    return type(error) is OSError and any(
        each in str(error) for each in ("AWS Error", "Azure Error", "google::cloud")
    )


def _refuse(error: OSError, name: str, scheme: str) -> NoReturn:
    told = str(error)
    for words, says in _BY_WORDS:
        if re.search(words, told):
            kind = UnknownNameError if says.startswith("does not exist") else GraphFormatError
            raise kind(f"{name!r} {says.format(_CREDENTIALS[_SCHEMES[scheme]])}") from None
    raise GraphFormatError(
        f"{name!r} cannot be read; check the address, the credentials and the network"
    ) from None
