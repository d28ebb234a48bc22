"""Measures how the code is laid out: `python -m bench.house [REVISION]` prints a table.

A revision is read from git; without one, the files as they lie here are measured.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TOPS: Final = ("app", "tests", "bench")
WALKS: Final = ("request", "correction", "night")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")


def python_files(folder: Path) -> list[Path]:
    """Every Python file below a folder, in order."""
    return sorted(folder.rglob("*.py"))


def crowded(folder: Path) -> Counter[Path]:
    """How many files each folder with Python files holds: those, `__init__.py` among them, and
    others that lie beside them, such as data. Hidden files are not counted.
    """
    code = {file.parent for file in python_files(folder)}
    return Counter(
        file.parent
        for one in code
        for file in one.iterdir()
        if file.is_file() and not file.name.startswith(".")
    )


@cache
def tree_of(file: Path) -> ast.Module:
    """A file's syntax tree; it is parsed once."""
    return ast.parse(file.read_text("utf-8"))


def imports(file: Path) -> set[str]:
    """Every module that a file imports, anywhere in it; `from a import b` is both `a` and `a.b`."""
    found: set[str] = set()
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found


def imported_by(app: Path) -> dict[str, set[str]]:
    """Each module with those of the same tree that it imports, inside functions too."""
    files = {_dotted(file, app): file for file in python_files(app)}
    return {
        name: {one for one in imports(file) if one in files and one != name}
        for name, file in files.items()
    }


def _dotted(file: Path, app: Path) -> str:
    return ".".join(file.relative_to(app).with_suffix("").parts).removesuffix(".__init__")


def folders_imported_by(app: Path) -> dict[str, set[str]]:
    """Each folder with the others from which its own modules import; a folder inside another
    counts as another.
    """
    folders = {
        _dotted(file, app): _dotted(file.parent / "__init__.py", app) for file in python_files(app)
    }
    found: dict[str, set[str]] = {folder: set() for folder in folders.values()}
    for name, needs in imported_by(app).items():
        found[folders[name]] |= {folders[one] for one in needs} - {folders[name]}
    return found


def pairs_both_ways(needs: Mapping[str, Set[str]]) -> list[tuple[str, str]]:
    """The pairs that need each other."""
    return [(a, b) for a in sorted(needs) for b in sorted(needs[a]) if a < b and a in needs[b]]


def circles(needs: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """The largest groups of modules that all need each other."""
    reached = {name: _reachable(name, needs) for name in needs}
    groups = {frozenset(b for b in reached[a] if a in reached[b]) for a in needs}
    return [set(group) for group in groups if len(group) > 1]


def _reachable(start: str, needs: Mapping[str, Iterable[str]]) -> set[str]:
    found, open_ = {start}, [start]
    while open_:
        new = set(needs[open_.pop()]) - found
        found |= new
        open_ += new
    return found


def types_of_one_name(app: Path) -> list[str]:
    """Names of public classes and type aliases that stand in more than one place; aliases that are
    defined in the same words count as one.
    """
    nodes = [node for file in python_files(app) for node in tree_of(file).body]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    aliases = Counter(name for name, _ in set(filter(None, map(_alias, nodes))))
    names = (classes + aliases).items()
    return [name for name, times in names if times > 1 and not name.startswith("_")]


def types_of_the_same_words(app: Path) -> list[list[str]]:
    """Names of public classes that are made of the same words in another order, as `SkillText` and
    `TextSkills`; singular and plural are one word.
    """
    found: dict[tuple[str, ...], set[str]] = {}
    for file in python_files(app):
        for node in tree_of(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                words = [word.lower().rstrip("s") for word in _WORD.findall(node.name)]
                found.setdefault(tuple(sorted(words)), set()).add(node.name)
    return [
        sorted(names)
        for names in found.values()
        if len({name.lower().rstrip("s") for name in names}) > 1
    ]


def _alias(node: ast.stmt) -> tuple[str, str] | None:
    """The type alias that a statement defines, and the type; None if it defines none."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            pass
        case _:
            return None
    is_camel = name.lstrip("_")[:1].isupper() and any(letter.islower() for letter in name)
    is_variable = isinstance(value, ast.Call)  # T_co = TypeVar(...)
    return (name, ast.unparse(value)) if is_camel and not is_variable else None


def walks(page: Path) -> dict[str, list[str]]:
    """The walks of docs/architecture.md, each with its files in order; empty if it has none."""
    text = page.read_text("utf-8") if page.exists() else ""
    found = {}
    for name in WALKS:
        if said := re.search(rf"\*\*One {name}\.\*\*(.*?)\n\n", text, re.DOTALL):
            found[name] = re.findall(r"`([^`]+)`", said[1])
    return found


def beside_walks(page: Path) -> dict[str, list[str]]:
    """The files and folders that docs/architecture.md names beside each of its walks; empty if it
    names none. A folder's name ends in a slash.
    """
    text = page.read_text("utf-8") if page.exists() else ""
    said = re.findall(r"\*\*Beside the (\w+)\.\*\*(.*?)\n\n", text, re.DOTALL)
    return {name: re.findall(r"`([^`]+)`", part) for name, part in said}


def walk_lengths(page: Path) -> dict[str, str]:
    """How many files docs/architecture.md names on each of its walks, and beside it, in words."""
    found, beside = walks(page), beside_walks(page)
    return {name: _length(found.get(name, []), set(beside.get(name, []))) for name in WALKS}


def _length(walk: list[str], beside: Set[str]) -> str:
    folders = sum(one.endswith("/") for one in beside)
    return f"{len(walk)}; beside it {len(beside) - folders} and {folders} folders"


def measured(root: Path) -> list[tuple[str, str]]:
    """The rows of the table for a tree."""
    rows = []
    for top in TOPS:
        files = python_files(root / top)
        held = crowded(root / top).values()
        lengths = [count for file in files if (count := len(file.read_text("utf-8").splitlines()))]
        rows += [
            (f"Python files in `{top}/`", str(len(files))),
            (f"files of a folder in `{top}/`, median and most", f"{median(held):.0f}, {max(held)}"),
            (
                f"lines of a file in `{top}/`, median and most",
                f"{median(lengths):.0f}, {max(lengths)}",
            ),
        ]
    app = root / "app"
    rows += [
        ("import circles in `app/`, in functions too", str(len(circles(imported_by(app))))),
        (
            "pairs of folders in `app/` that import each other",
            str(len(pairs_both_ways(folders_imported_by(app)))),
        ),
        ("public type names that stand twice in `app/`", str(len(types_of_one_name(app)))),
        ("type names of the same words in `app/`", str(len(types_of_the_same_words(app)))),
    ]
    lengths = walk_lengths(root / "docs" / "architecture.md")
    rows += [(f"files on the walk of a {name}", said) for name, said in lengths.items()]
    return rows


def _unpacked(revision: str, folder: str) -> Path:
    packed = subprocess.run(
        ["git", "archive", revision, "--", *TOPS, "docs"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        files.extractall(folder)  # git's own; `filter` came with Python 3.11.4
    return Path(folder)


def main(argv: list[str]) -> int:
    """Print the table for the revision in `argv`, or for this tree; return the exit code."""
    with TemporaryDirectory() as folder:
        try:
            root = _unpacked(argv[0], folder) if argv else ROOT
        except subprocess.CalledProcessError as error:
            print(error.stderr.decode().strip(), file=sys.stderr)
            return 2
        for name, value in measured(root):
            print(f"| {name} | {value} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
