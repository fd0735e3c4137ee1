"""How the kernels become a shared library: with the system's C compiler, or with the one of the wheel ``ziglang``.

The packaging hook (``hatch_build.py``) loads this file by its path, so it imports the standard library alone.
Every ``.c`` file of this folder is compiled once for each instruction level; to add a kernel, add a file.

``EDGEDP_KERNELS`` chooses: ``cc`` (the command in ``CC``, or ``cc``), ``zig``, or ``none``; by default the system's
compiler where there is one, else zig.
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
from pathlib import Path

__all__ = [
    "FOLDER", "LEVELS", "LIBRARY", "CompilerError", "chosen_compiler", "compile_library", "platform_tag",
    "sources_digest",
]  # fmt: skip

FOLDER = Path(__file__).parent
LIBRARY = "lib/kernels" + {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
"""Below this folder; in one of its own, or Python would take it for an extension module."""

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
    for path in sorted([*FOLDER.glob("*.[ch]"), FOLDER / "build.py"], key=lambda found: found.name):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def chosen_compiler() -> str:
    """Return ``cc``, ``zig`` or ``none``: what is asked for, or the system's compiler if there is one, else zig."""
    asked = os.environ.get("EDGEDP_KERNELS", "")
    if asked not in ("", "cc", "zig", "none"):
        raise CompilerError(
            f"EDGEDP_KERNELS is {asked!r}, must be cc, zig or none; unset it to have the best"
        )
    return asked or ("cc" if _system_compiler() is not None else "zig")


def compile_library(target: Path, compiler: str, *, flags: list[str] | None = None) -> None:
    """Compile all kernels into one shared library, put in its place in one step.

    Parameters
    ----------
    target : Path
    compiler : {"cc", "zig"}
    flags : list of str, optional
        Further flags for compiling and linking; without any the library is stripped of its symbols.

    Raises
    ------
    CompilerError
        There is no such compiler, or it failed.
    """
    command = _system_compiler() if compiler == "cc" else _zig_command()
    if command is None:
        raise CompilerError(f"the compiler {compiler!r} is not here; install one, or set EDGEDP_KERNELS=none")
    machine, further = _machine(), flags or []
    levels = [[], _AVX2, _AVX2 + _AVX512] if machine == "x86_64" else [[]]
    if machine == "x86_64" and compiler == "cc":
        levels = [["-march=x86-64", *level] for level in levels]
    defined = [f'-DEDGEDP_SOURCES="{sources_digest()}"', f"-DEDGEDP_LEVELS={len(levels)}"]
    with tempfile.TemporaryDirectory(prefix="edgedp-kernels-") as folder:
        work: list[list[str]] = []
        for level, instructions in enumerate(levels):
            own = [*instructions, f"-DEDGEDP_LEVEL={level}"]
            for source in sorted(FOLDER.glob("*.c")):
                compiled = str(Path(folder, f"{source.stem}_{level}.o"))
                work.append([*command, *_FLAGS, *defined, *own, *further, "-c", str(source), "-o", compiled])
        objects = [words[-1] for words in work]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(lambda words: _run(words, folder), work))
        stripped = [] if sys.platform == "darwin" else ["-s"]
        linked = str(Path(folder, "kernels"))
        _run([*command, "-shared", *(further or stripped), *objects, "-o", linked], folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            shutil.copyfile(linked, beside)
            os.replace(beside, target)  # a process that runs keeps the file that it opened
        finally:
            beside.unlink(missing_ok=True)


def platform_tag(compiler: str) -> str:
    """Return the platform of a wheel that holds the library."""
    machine = _machine()
    if sys.platform == "darwin":
        lowest = _macos_version().replace(".", "_")
        return f"macosx_{lowest}_{'arm64' if machine == 'aarch64' else machine}"
    if sys.platform == "linux" and compiler == "zig" and _is_glibc():
        return f"manylinux_2_17_{machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _system_compiler() -> list[str] | None:
    words = shlex.split(os.environ.get("CC", "")) or ["cc"]
    return words if shutil.which(words[0]) else None


def _zig_command() -> list[str] | None:
    """Return zig's C compiler, told what to build for: left alone, it builds for this very processor."""
    if importlib.util.find_spec("ziglang") is None:
        return None
    machine = _machine()
    systems = {"darwin": f"macos.{_macos_version()}", "win32": "windows-gnu"}
    system = systems.get(sys.platform, "linux-gnu.2.17" if _is_glibc() else "linux-musl")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{machine}-{system}"]
    return [*command, "-g0", "-fno-sanitize=undefined"]


def _machine() -> str:
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


def _macos_version() -> str:
    return os.environ.get("MACOSX_DEPLOYMENT_TARGET", "11.0" if _machine() == "aarch64" else "10.15")


def _is_glibc() -> bool:
    return platform.libc_ver()[0] == "glibc"


def _run(words: list[str], folder: str) -> None:
    """Run the compiler; its caches, if it has any, go with the folder."""
    caches = {
        "ZIG_GLOBAL_CACHE_DIR": str(Path(folder, "zig")),
        "ZIG_LOCAL_CACHE_DIR": str(Path(folder, "zig")),
    }
    if sys.platform == "darwin":
        caches["MACOSX_DEPLOYMENT_TARGET"] = _macos_version()
    done = subprocess.run(words, env=os.environ | caches, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise CompilerError(
            f"the kernels could not be built: {said[0] if said else words[0]}; "
            "set CC to another compiler, EDGEDP_KERNELS=zig with ziglang installed, or EDGEDP_KERNELS=none"
        )


if __name__ == "__main__":
    compile_library(FOLDER / LIBRARY, chosen_compiler())
