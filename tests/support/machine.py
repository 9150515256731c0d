"""What tests may ask of their machine: the cache, the programs in it, a visible skip when a part is missing."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from support import go_programs

TESTS = Path(__file__).resolve().parent.parent
REPOSITORY = TESTS.parent
TABLES = [TESTS / user / "programs.txt" for user in ("cluster", "support", "bench")]
SKIPPED = 77  # CMake's SKIP_RETURN_CODE for every test.


def cache() -> Path:
    """The folder for downloads and builds that outlive the build tree."""
    if own := os.environ.get("CARRACK_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carrack"


def skip(reason: str) -> NoReturn:
    """Ends this test as skipped; in CI, where every part must be there, as failed."""
    in_ci = os.environ.get("CI") == "true"
    print(f"{'FAILED' if in_ci else 'SKIPPED'}: {reason}", flush=True)
    sys.exit(1 if in_ci else SKIPPED)


def nothing_yet(name: str) -> NoReturn:
    """Ends a check whose subject does not exist yet: skipped, in CI too."""
    print(f"nothing yet: {name}", flush=True)
    sys.exit(SKIPPED)


def build() -> Path:
    """The build folder whose tests run; ctest names it."""
    return Path(os.environ.get("CARRACK_BUILD", REPOSITORY / "build" / "dev"))


def product_image(name: str) -> Path:
    """The archive of one of our images: of this build's programs, or of those in CARRACK_IMAGES; or a visible skip."""
    folder = os.environ.get("CARRACK_IMAGES") or build() / "images"
    archive = Path(folder, f"{name}.tar")
    if not archive.exists():
        skip(f"{archive} is not there; `./dev test cluster` makes it")
    return archive


def program(name: str) -> Path:
    """The path of one of the Go programs, or a skip that says how to get it."""
    for table in TABLES:
        for candidate in go_programs.programs_in(table.read_text()):
            if candidate.name == name:
                path = candidate.path(cache() / "programs")
                if not path.exists():
                    skip(f"{name} {candidate.version} is not built; `./dev test` builds it")
                return path
    raise KeyError(f"{name} stands in none of {', '.join(str(table) for table in TABLES)}")
