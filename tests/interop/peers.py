"""The Python peers that tests and benchmarks talk to, each in a virtual environment of its own in the cache.

    peers.py install      makes the environments that are missing, one for each NAME.requirements beside this file

Those of tests/bench alone have their lists there, and are made when a benchmark or a long test asks for them.

An environment is named by its list's content, so a changed list makes a new one; a half-made one is never used.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from support import machine

LISTS = Path(__file__).resolve().parent
BENCH_LISTS = LISTS.parent / "bench"


def list_of(name: str) -> Path:
    beside = LISTS / f"{name}.requirements"
    return beside if beside.exists() else BENCH_LISTS / f"{name}.requirements"


def environment(name: str) -> Path:
    content = list_of(name).read_bytes()
    return machine.cache() / "peers" / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}"


def install(name: str) -> None:
    into = environment(name)
    if (into / "complete").exists():
        return
    shutil.rmtree(into, ignore_errors=True)
    print(f"installing {name}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", into], check=True)
    subprocess.run([into / "bin" / "pip", "install", "--quiet", "-r", list_of(name)], check=True)
    (into / "complete").touch()


def version(name: str, package: str = "") -> str:
    """Of a package in the peer's list, by default the one of its name, as `torch-2.15.0`."""
    wanted = f"{package or name}=="
    return next(line for line in list_of(name).read_text().splitlines() if line.startswith(wanted)).replace("==", "-")


def python(name: str) -> Path:
    """The interpreter of a peer's environment, or a visible skip."""
    if not (environment(name) / "complete").exists():
        machine.skip(f"{name} is not installed; `./dev test interop` installs it")
    return environment(name) / "bin" / "python"


def installed_python(name: str) -> Path:
    """The interpreter of a peer's environment, which is made now if it is missing."""
    install(name)
    return python(name)


if __name__ == "__main__":
    if sys.argv[1:] != ["install"]:
        sys.exit("usage: peers.py install")
    for listed in sorted(LISTS.glob("*.requirements")):
        install(listed.stem)
