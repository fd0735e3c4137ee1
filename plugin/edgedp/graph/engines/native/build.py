"""How the kernels become a shared library: with the system's C compiler, or with the one of the wheel ``ziglang``.

The packaging hook (``hatch_build.py``) loads this file by its path, so it imports the standard library alone.
Every ``.c`` file of ``kernels/`` is compiled once for each instruction level; to add a kernel, add a file.

``EDGEDP_KERNELS`` chooses: ``cc`` (the command in ``CC``, or ``cc``), ``zig``, or ``none``; by default the system's
compiler where there is one, else zig. ``EDGEDP_TARGET`` names another machine to compile for, one of `TARGETS`, which
zig alone can.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SOURCES = "kernels"
"""The folder of the C files, below `FOLDER`."""


@dataclass(frozen=True)
class Target:
    """A kind of machine that a library is for.

    Attributes
    ----------
    system : {"linux", "musl", "macos", "windows"}
        Or another system's name, which only its own compiler serves.
    machine : str
        ``x86_64``, ``aarch64``, ...
    """

    system: str
    machine: str

    @classmethod
    def here(cls) -> Target:
        """Return this machine."""
        name = platform.machine().lower()
        systems = {"darwin": "macos", "win32": "windows", "linux": "linux" if _is_glibc() else "musl"}
        machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)
        return cls(systems.get(sys.platform, sys.platform), machine)

    @property
    def library(self) -> str:
        """The library's file below `FOLDER`; in a folder of its own, or Python takes it for an extension module."""
        return "lib/kernels" + {"macos": ".dylib", "windows": ".dll"}.get(self.system, ".so")

    @property
    def oldest_macos(self) -> str:
        """The oldest macOS that it runs on."""
        return os.environ.get("MACOSX_DEPLOYMENT_TARGET", "11.0" if self.machine == "aarch64" else "10.15")

    @property
    def of_zig(self) -> str:
        """The target as zig names it."""
        systems = {"linux": "linux-gnu.2.17", "musl": "linux-musl", "windows": "windows-gnu"}
        return f"{self.machine}-{systems.get(self.system, f'macos.{self.oldest_macos}')}"


def _is_glibc() -> bool:
    return platform.libc_ver()[0] == "glibc"


TARGETS = {
    f"{system}-{machine}": Target(system, machine)
    for system, machine in (
        ("linux", "x86_64"), ("linux", "aarch64"), ("macos", "x86_64"), ("macos", "aarch64"), ("windows", "x86_64"),
    )
}  # fmt: skip
"""What a version is built for, by the words of ``EDGEDP_TARGET``."""

LIBRARY = Target.here().library
"""The library of this machine."""

LEVELS = ("baseline", "avx2", "avx512")
"""The instruction levels, lowest first; a processor that is no x86-64 has the first alone."""

_FLAGS = [
    *["-std=c17", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off"],
    *["-Wall", "-Wextra", "-Wno-unknown-pragmas"],
]
_AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt"]
_AVX512 = [
    *["-mavx512f", "-mavx512bw", "-mavx512cd", "-mavx512dq", "-mavx512vl"],
    *["-mavx512vbmi", "-mavx512vbmi2", "-mavx512bitalg", "-mavx512vpopcntdq"],
]


class CompilerError(RuntimeError):
    """The compiler did not make the library; one line."""


def sources_digest() -> str:
    """Return SHA-256 (hex) of what the library is made of: the C files, the headers, and this file."""
    digest = hashlib.sha256()
    for path in sorted(
        [*(FOLDER / SOURCES).glob("*.[ch]"), FOLDER / "build.py"], key=lambda found: found.name
    ):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def chosen_target() -> Target:
    """Return what to compile for: what ``EDGEDP_TARGET`` asks for, or this machine."""
    asked = os.environ.get("EDGEDP_TARGET", "")
    if asked and asked not in TARGETS:
        raise CompilerError(
            f"EDGEDP_TARGET is {asked!r}, must be one of {', '.join(TARGETS)}; unset it for this machine"
        )
    return TARGETS[asked] if asked else Target.here()


def chosen_compiler() -> str:
    """Return ``cc``, ``zig`` or ``none``: what is asked for, or the system's compiler if there is one, else zig."""
    asked = os.environ.get("EDGEDP_KERNELS", "")
    if asked not in ("", "cc", "zig", "none"):
        raise CompilerError(
            f"EDGEDP_KERNELS is {asked!r}, must be cc, zig or none; unset it to have the best"
        )
    if os.environ.get("EDGEDP_TARGET"):
        if asked not in ("", "zig"):
            raise CompilerError(
                f"EDGEDP_KERNELS is {asked!r}, must be zig for EDGEDP_TARGET; unset one of them"
            )
        return "zig"
    return asked or ("cc" if _system_compiler() is not None else "zig")


def compile_library(
    path: Path, compiler: str, *, target: Target | None = None, flags: list[str] | None = None
) -> None:
    """Compile all kernels into one shared library, put in its place in one step.

    Parameters
    ----------
    path : Path
        Of the library.
    compiler : {"cc", "zig"}
    target : Target, optional
        What it is for; default this machine, for which alone ``cc`` compiles.
    flags : list of str, optional
        Further flags for compiling and linking; without any the library is stripped of its symbols.

    Raises
    ------
    CompilerError
        There is no such compiler, or it failed.
    """
    target = target or Target.here()
    command = _system_compiler() if compiler == "cc" else _zig_command(target)
    if command is None:
        raise CompilerError(f"the compiler {compiler!r} is not here; install one, or set EDGEDP_KERNELS=none")
    further = flags or []
    levels = [[], _AVX2, _AVX2 + _AVX512] if target.machine == "x86_64" else [[]]
    if target.machine == "x86_64" and compiler == "cc":
        levels = [["-march=x86-64", *level] for level in levels]
    defined = [f'-DEDGEDP_SOURCES="{sources_digest()}"', f"-DEDGEDP_LEVELS={len(levels)}"]
    with tempfile.TemporaryDirectory(prefix="edgedp-kernels-") as folder:
        work: list[list[str]] = []
        for level, instructions in enumerate(levels):
            own = [*instructions, f"-DEDGEDP_LEVEL={level}"]
            for source in sorted((FOLDER / SOURCES).glob("*.c")):
                compiled = str(Path(folder, f"{source.stem}_{level}.o"))
                work.append([*command, *_FLAGS, *defined, *own, *further, "-c", str(source), "-o", compiled])
        objects = [words[-1] for words in work]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(lambda words: _run(words, folder, target), work))
        stripped = [] if target.system == "macos" else ["-s"]
        linked = str(Path(folder, Path(target.library).name))
        _run([*command, "-shared", *(further or stripped), *objects, "-o", linked], folder, target)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            shutil.copyfile(linked, beside)
            os.replace(beside, path)  # a process that runs keeps the file that it opened
        finally:
            beside.unlink(missing_ok=True)


def platform_tag(compiler: str, target: Target | None = None) -> str:
    """Return the platform of a wheel that holds the library.

    Examples
    --------
    >>> platform_tag("zig", TARGETS["linux-aarch64"]), platform_tag("zig", TARGETS["macos-x86_64"])
    ('manylinux_2_17_aarch64', 'macosx_10_15_x86_64')
    """
    target = target or Target.here()
    if target.system == "macos":
        lowest = target.oldest_macos.replace(".", "_")
        return f"macosx_{lowest}_{'arm64' if target.machine == 'aarch64' else target.machine}"
    if target.system == "linux" and compiler == "zig":
        return f"manylinux_2_17_{target.machine}"
    if target == TARGETS["windows-x86_64"]:
        return "win_amd64"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _system_compiler() -> list[str] | None:
    words = shlex.split(os.environ.get("CC", "")) or ["cc"]
    return words if shutil.which(words[0]) else None


def _zig_command(target: Target) -> list[str] | None:
    """Return zig's C compiler, told what to build for: left alone, it builds for this very processor."""
    if importlib.util.find_spec("ziglang") is None:
        return None
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target.of_zig]
    return [*command, "-g0", "-fno-sanitize=undefined"]


def _run(words: list[str], folder: str, target: Target) -> None:
    """Run the compiler; its caches, if it has any, go with the folder."""
    caches = {
        "ZIG_GLOBAL_CACHE_DIR": str(Path(folder, "zig")),
        "ZIG_LOCAL_CACHE_DIR": str(Path(folder, "zig")),
    }
    if target.system == "macos":
        caches["MACOSX_DEPLOYMENT_TARGET"] = target.oldest_macos
    done = subprocess.run(words, env=os.environ | caches, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise CompilerError(
            f"the kernels could not be built: {said[0] if said else words[0]}; "
            "set CC to another compiler, EDGEDP_KERNELS=zig with ziglang installed, or EDGEDP_KERNELS=none"
        )


if __name__ == "__main__":
    compile_library(FOLDER / LIBRARY, chosen_compiler())
