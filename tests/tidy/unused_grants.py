"""Every permission in layers.txt and libraries.txt is used by an #include: an unused one would hide a new dependency."""

from fnmatch import fnmatch

from cpp import SOURCES
from includes import LAYERS, LIBRARIES, OURS, Include, Library, folder_rows, includes_in, libraries_in, row_of
from table import Row, inside, rows_in
from tree import Problem, Tree, is_main


def check(tree: Tree) -> list[Problem] | None:
    sources = [path for path in tree.with_suffix(*SOURCES) if path.startswith(OURS) and not path.startswith("tests/")]
    if not sources:
        return None
    rows = rows_in(tree.texts[LAYERS])
    folders = folder_rows(rows)
    libraries = libraries_in(tree.texts[LIBRARIES])
    includes = [
        include for path in sources if not is_main(path) for include in includes_in(path, tree.texts[path])
    ]
    layers = {need for include in includes for need in layers_needed(include, folders)}
    needed = {need for include in includes for need in libraries_needed(include, libraries)}
    return unused_layers(rows, layers) + unused_libraries(libraries, needed)


def layers_needed(include: Include, folders: list[Row]) -> set[tuple[str, str]]:
    """The permissions of layers.txt that this include needs, each as (row, item)."""
    row = row_of(include.path, folders)
    if row and row_of(include.target, folders) != row:
        return {(row.name, item) for item in row.items if inside(include.target, item)}
    return set()


def libraries_needed(include: Include, libraries: list[Library]) -> set[tuple[str, str]]:
    """The permissions of libraries.txt that this include needs, each as (library, folder)."""
    return {
        (library.name, folder)
        for library in libraries
        if any(fnmatch(include.target, header) for header in library.headers)
        for folder in library.folders
        if inside(include.path, folder)
    }


def unused_libraries(libraries: list[Library], needed: set[tuple[str, str]]) -> list[Problem]:
    return [
        Problem(LIBRARIES, library.line, f"{library.name} <- {folder} is not used by any #include; remove {folder} from the row")
        for library in libraries
        for folder in library.folders
        if (library.name, folder) not in needed
    ]


def unused_layers(rows: list[Row], used: set[tuple[str, str]]) -> list[Problem]:
    """Rows such as `trainer` and `trainer/*` cover many folders; one use by any of them is enough."""
    problems = []
    for row in rows:
        component = row.name.split("/")[0]
        for item in row.items:
            own = (row.name, item) in used
            by_all = row.name in (component, f"{component}/*") and any(
                user.startswith(f"{component}/") and inside(target, item) or target == item and user.startswith(component)
                for user, target in used
            )
            if not own and not by_all:
                what = f"{row.name} <- {item} is not used by any #include; remove {item} from the row"
                problems.append(Problem(LAYERS, row.line, what))
    return problems
