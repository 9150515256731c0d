"""build_wheel.py LIBRARY VERSION FOLDER: makes the wheel of the package carrack: its Python files, libcarrack.so, and the shared
libraries that this one needs, with their licences, but for those that every system with glibc has. No other wheel of it stays in the folder.
"""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
# As the manylinux policies have it: these come from the system.
OF_THE_SYSTEM = re.compile(r"^(ld-linux-.*|libc|libm|libpthread|libdl|librt|libstdc\+\+|libgcc_s|libz)\.so")
CREATED = (1980, 1, 1, 0, 0, 0)  # The same content gives the same wheel.

METADATA = """Metadata-Version: 2.1
Name: carrack
Version: {version}
Summary: Workers of Carrack's parameter servers as programs of PyTorch, or of anything else
License: Apache-2.0
Requires-Python: >=3.9
"""
WHEEL = """Wheel-Version: 1.0
Generator: build_wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def glibc() -> str:
    """That of this machine, for which the library is built: (2, 36) as 2_36."""
    return os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")


def tag() -> str:
    return f"py3-none-manylinux_{glibc()}_{platform.machine()}"


def libraries_of(library: Path) -> list[Path]:
    """What the library needs beside it, by the names by which it is looked for."""
    printed = subprocess.run(["ldd", library], stdout=subprocess.PIPE, check=True, text=True).stdout
    if missing := re.findall(r"(\S+) => not found", printed):
        sys.exit(f"build_wheel.py: {library} needs {', '.join(missing)}, which are not there")
    found = [Path(path) for path in re.findall(r"=> (/\S+)", printed)]
    return [path for path in found if not OF_THE_SYSTEM.match(path.name)]


def licence_of(library: Path) -> tuple[str, Path]:
    """The package that the library is of, and the file of its licence."""
    real = str(library.resolve())
    # dpkg knows files by the path they were installed under, which on a merged /usr is not always the one the loader says.
    for path in (real, real.removeprefix("/usr"), f"/usr{real}"):
        owner = subprocess.run(["dpkg-query", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True)
        if owner.returncode == 0:
            package = owner.stdout.split(":")[0]
            return package, Path("/usr/share/doc", package, "copyright")
    sys.exit(f"build_wheel.py: no package owns {library}, so its licence is not known")


def stripped(library: Path) -> bytes:
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["strip", "--strip-unneeded", "-o", file.name, library], check=True)
        return Path(file.name).read_bytes()


def files_of(library: Path, version: str) -> dict[str, bytes]:
    info = f"carrack-{version}.dist-info"
    files = {f"carrack/{path.name}": path.read_bytes() for path in sorted((HERE / "carrack").glob("*.py"))}
    files["carrack/carrack.h"] = (REPOSITORY / "trainer" / "library" / "carrack.h").read_bytes()  # for programs in C
    files["carrack/libcarrack.so"] = stripped(library)
    files[f"{info}/licenses/carrack"] = (REPOSITORY / "LICENSE").read_bytes()
    for needed in libraries_of(library):
        files[f"carrack/{needed.name}"] = stripped(needed)
        package, licence = licence_of(needed)
        files[f"{info}/licenses/{package}"] = licence.read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag()).encode()
    return files


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main() -> None:
    library, version, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    files = files_of(library, version)
    record = f"carrack-{version}.dist-info/RECORD"
    files[record] = "".join(record_line(name, content) for name, content in files.items()).encode() + f"{record},,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    for before in folder.glob("carrack-*.whl"):
        before.unlink()
    path = folder / f"carrack-{version}-{tag()}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, content in files.items():
            wheel.writestr(zipfile.ZipInfo(name, CREATED), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
