"""A named point stands before and after every storage write, stream send and change of the protocol's state.

    points.py --list    prints their names; CARRACK_TEST_POINT takes them with `.before` or `.after` at the end

A point is `const CrashPoint point("name");` of trainer/points.h, and holds to the end of its block. Code that needs one is
in such a block, or in a private function that is called only from such blocks. points.txt lists the exceptions.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from bodies import Body, bodies, block_end, plain, private_names
from changes import changes_in
from cpp import SOURCES, code_of
from table import inside, inside_any, rows_in
from tree import NoTree, Problem, Tree, read_tree

TABLE = "tests/tidy/points.txt"
DEFINITION = "trainer/points"
MACHINES = "trainer/comm/protocol/"
MESSAGES = "trainer/comm/protocol/message.proto"
WRITTEN = '`const CrashPoint point("NAME");`'
SENDERS = {"send": "trainer/comm/transport/endpoint.cc", "StartWrite": "trainer/comm/transport/grpc_stream.h"}

MENTION = re.compile(r"\bCrashPoint\b")
POINT = re.compile(r'\bconst (?:train::)?CrashPoint point\("([^"]*)"\);')
FRAME_POINT = re.compile(r"\bconst CrashPoint point\(point_of\(message\)\);")
NAME = re.compile(r"[a-z]+\.[a-z_]+")
WRITE = re.compile(r"(?:\.|->)(replace_if|create|remove)\(|->(commit|write|send)\(")
SEND = re.compile(r"->(send)\(|\b(StartWrite)(?!sDone)\w*\(")
CALL = re.compile(r"(?<![\w.:])(?<!->)(\w+)\s*\(")


class Point(NamedTuple):
    name: str
    path: str
    line: int


class File:
    """A source, its functions, and the blocks in which a point holds."""

    def __init__(self, path: str, text: str):
        self.path = path
        self.code = plain(text)
        self.bodies = list(bodies(self.code))
        self.blocks = [(found.start(), block_end(self.code, found.end())) for found in MENTION.finditer(self.code)]

    def has_point(self, place: int) -> bool:
        return any(begin < place < end for begin, end in self.blocks)


class Call(NamedTuple):
    caller: Body
    has_point: bool


class Callers:
    """The callers of a class's functions within that class."""

    def __init__(self, files: list[File]):
        self.private = {name for file in files for name in private_names(file.code)}
        self.calls: dict[tuple[str, str], list[Call]] = {}
        for file in files:
            for caller in file.bodies:
                for called in CALL.finditer(file.code, caller.begin, caller.end):
                    call = Call(caller, file.has_point(called.start()))
                    self.calls.setdefault((caller.owner, called[1]), []).append(call)

    def entry_without_point(self, body: Body, seen: frozenset[Body] = frozenset()) -> Body | None:
        """A function from which this one is reached without passing a point; itself, if it is not private."""
        calls = self.calls.get((body.owner, body.name), [])
        if (body.owner, body.name) not in self.private or not calls:
            return body
        bare = [call.caller for call in calls if not call.has_point and call.caller not in seen]
        entries = (self.entry_without_point(caller, seen | {body}) for caller in bare if caller != body)
        return next(filter(None, entries), None)


def check(tree: Tree) -> list[Problem] | None:
    if f"{DEFINITION}.h" not in tree.texts:
        return None
    rows = {row.name: row.items for row in rows_in(tree.texts[TABLE])}
    apart, bookkeeping = rows["apart"], frozenset(rows["bookkeeping"])
    files = [File(path, text) for path, text in sources_in(tree).items() if not inside_any(path, rows["commands"])]
    callers = Callers(files)
    problems = name_problems(tree) + send_problems(files) + table_problems(tree, files)
    for file in files:
        machine = file.path.startswith(MACHINES) and not inside_any(file.path, apart)
        for body in file.bodies:
            sites = writes_in(file, body) + (changes_of_state(file, body, bookkeeping) if machine else [])
            problems += site_problems(file, body, sites, callers)
    return problems


def sources_in(tree: Tree) -> dict[str, str]:
    paths = [path for path in tree.with_suffix(*SOURCES) if path.startswith("trainer/")]
    return {path: tree.texts[path] for path in paths if path.rsplit(".", 1)[0] != DEFINITION}


def codes_in(tree: Tree) -> list[tuple[str, str]]:
    return [(path, code_of(text)) for path, text in sources_in(tree).items()]


def line_of(place: int, code: str) -> int:
    return 1 + code.count("\n", 0, place)


def points_in(tree: Tree) -> list[Point]:
    return [
        Point(found[1], path, line_of(found.start(), code))
        for path, code in codes_in(tree)
        for found in POINT.finditer(code)
    ]


def frames_in(tree: Tree) -> list[str]:
    kinds = re.search(r"\boneof\s+body\s*\{([^}]*)\}", code_of(tree.texts.get(MESSAGES, "")))
    return re.findall(r"\b(\w+)\s*=\s*\d+\s*;", kinds[1]) if kinds else []


def names(tree: Tree) -> list[str]:
    return [point.name for point in points_in(tree)] + [f"send.{kind}" for kind in frames_in(tree)]


def summary(tree: Tree) -> str:
    return f"points: {len(points_in(tree))} named points, {len(frames_in(tree))} kinds of frames"


def writes_in(file: File, body: Body) -> list[tuple[int, str]]:
    written = WRITE.finditer(file.code, body.begin, body.end)
    return [(found.start(), f"calls `{found[1] or found[2]}`") for found in written]


def changes_of_state(file: File, body: Body, bookkeeping: frozenset[str]) -> list[tuple[int, str]]:
    if body.name == body.owner:
        return []  # A constructor: nothing else can see the object yet.
    return [(change.place, f"changes `{change.what}`") for change in changes_in(file.code, body, bookkeeping)]


def site_problems(file: File, body: Body, sites: list[tuple[int, str]], callers: Callers) -> list[Problem]:
    bare = [(place, what) for place, what in sites if not file.has_point(place)]
    entry = callers.entry_without_point(body) if bare else None
    if entry is None:
        return []
    reached = "" if entry == body else f" when reached from {entry}"
    todo = f"put {WRITTEN} before it, so that a test can end the process on either side"
    return [
        Problem(file.path, line_of(place, file.code), f"{body} {what} without a point before it{reached}; {todo}")
        for place, what in bare
    ]


def send_problems(files: list[File]) -> list[Problem]:
    what = "calls `{}` without Endpoint::send, which has the point of every frame; send through an Endpoint"
    return [
        Problem(file.path, line_of(found.start(), file.code), what.format(found[1] or found[2]))
        for file in files
        for found in SEND.finditer(file.code)
        if file.path != SENDERS[found[1] or found[2]]
    ]


def name_problems(tree: Tree) -> list[Problem]:
    problems: list[Problem] = []
    first: dict[str, Point] = {}
    for name, path, line in points_in(tree):
        other = first.setdefault(name, Point(name, path, line))
        if (other.path, other.line) != (path, line):
            what = f"the point `{name}` is also at {other.path}:{other.line}; give each place its own name"
            problems.append(Problem(path, line, what))
        if not NAME.fullmatch(name) or name.startswith("send."):
            what = f"`{name}` is not a valid name of a point; write it like `worker.granted`; names with `send.` belong to frames"
            problems.append(Problem(path, line, what))
    return problems + unlisted_points(tree)


def unlisted_points(tree: Tree) -> list[Problem]:
    """A point in another form would be missing from the list, or would not hold to the end of its block."""
    problems = []
    for path, code in codes_in(tree):
        forms = [POINT, FRAME_POINT] if path == SENDERS["send"] else [POINT]
        good = {found.end() for form in forms for found in form.finditer(code)}
        problems += [
            Problem(path, line_of(found.start(), code), f"cannot be listed as a point; write {WRITTEN}")
            for found in MENTION.finditer(code)
            if code.find(";", found.end()) + 1 not in good
        ]
    return problems


def table_problems(tree: Tree, files: list[File]) -> list[Problem]:
    machines = [file for file in files if file.path.startswith(MACHINES)]
    words = {word for file in machines for word in re.findall(r"\w+", file.code)}
    problems = []
    for row in rows_in(tree.texts[TABLE]):
        if row.name == "commands":
            gone, place = [item for item in row.items if not any(inside(path, item) for path in tree.texts)], "the tree"
        else:
            known = words if row.name == "bookkeeping" else {file.path.rsplit(".", 1)[0] for file in machines}
            gone, place = [item for item in row.items if item not in known], MACHINES
        problems += [Problem(TABLE, row.line, f"{item} is not in {place}; remove it") for item in gone]
    return problems


def main() -> int:
    if sys.argv[1:] != ["--list"]:
        print("points.py: give --list, or run `tidy.py points` for the check", file=sys.stderr)
        return 2
    try:
        print("\n".join(names(read_tree(Path(__file__).resolve().parents[2]))))
        return 0
    except NoTree as problem:
        print(f"points.py: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
