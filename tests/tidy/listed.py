"""Nothing is left out of the build: the nearest CMakeLists.txt names every C++ file and test.

To find them by name, C++ files end in .cc, .h, .cu or .cuh, and Python tests in _test.py.
"""

import re
from pathlib import PurePosixPath

from tree import Problem, Tree

BUILT = ("operator/", "trainer/", "dataloader/", "tests/")
OTHER_CPP = {".cpp": ".cc", ".cxx": ".cc", ".c++": ".cc", ".C": ".cc", ".hpp": ".h", ".hxx": ".h", ".hh": ".h"}
OTHER_TEST = re.compile(r"test_(\w+)\.py|(\w+)_tests\.py|(\w+)-test\.py")
TEST_CASES = re.compile(r"^(?:import|from) (?:unittest|pytest)\b", re.MULTILINE)
GLOBBING = re.compile(r"\bfile\s*\(\s*GLOB|\baux_source_directory\s*\(", re.IGNORECASE)


def check(tree: Tree) -> list[Problem]:
    lists = {path: words_in(tree.texts[path]) for path in tree.texts if path.endswith("CMakeLists.txt")}
    problems = globbing(tree)
    for path in tree.paths():
        if path.startswith(BUILT):
            problems += naming_problems(path, tree.texts.get(path, ""))
        if must_be_listed(path):
            problems += listing_problems(path, path, lists)
        elif path in lists and path != "CMakeLists.txt":
            problems += listing_problems(path, str(PurePosixPath(path).parent), lists)
    return problems


def naming_problems(path: str, text: str) -> list[Problem]:
    file = PurePosixPath(path)
    if file.suffix in OTHER_CPP:
        name = file.with_suffix(OTHER_CPP[file.suffix]).name
        return [Problem(path, 1, f"C++ ends in .cc, .h, .cu or .cuh here; call it {name}")]
    other = OTHER_TEST.fullmatch(file.name)
    if file.suffix == ".py" and not file.name.endswith("_test.py") and (other or TEST_CASES.search(text)):
        stem = next(filter(None, other.groups())) if other else file.stem
        return [Problem(path, 1, f"contains tests, so its name must end in _test.py; call it {stem}_test.py")]
    return []


def must_be_listed(path: str) -> bool:
    return path.startswith(BUILT) and path.endswith((".cc", ".cu", "_test.py"))


def words_in(cmake: str) -> set[str]:
    uncommented = re.sub(r"#.*", "", cmake).replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
    return set(re.split(r"[\s()\"]+", uncommented))


def listing_problems(path: str, listed: str, lists: dict[str, set[str]]) -> list[Problem]:
    """`listed` is what must be named: the file itself, or the folder of a CMakeLists.txt."""
    for folder in PurePosixPath(listed).parents:
        nearest = str(folder / "CMakeLists.txt")
        if nearest in lists:
            name = str(PurePosixPath(listed).relative_to(folder))
            if name in lists[nearest]:
                return []
            what = f"is not in {nearest}, so it is neither built nor run; name `{name}` there, or delete it"
            return [Problem(path, 1, what)]
    return [Problem(path, 1, "has no CMakeLists.txt in its folder or above, so it is neither built nor run; add one")]


def globbing(tree: Tree) -> list[Problem]:
    return [
        Problem(path, number, "collects files by pattern; name each file, so that a forgotten one is noticed")
        for path in tree.with_suffix("CMakeLists.txt", ".cmake")
        for number, line in enumerate(tree.texts[path].splitlines(), 1)
        if GLOBBING.search(re.sub(r"#.*", "", line))
    ]
