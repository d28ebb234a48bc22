"""Tests of the source tree: layers import only downwards, and the rules of the house style hold."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from bench.docstrings import undescribed
from bench.house import (
    WALKS,
    beside_walks,
    crowded,
    folders_imported_by,
    imported_by,
    pairs_both_ways,
    tree_of,
    types_of_one_name,
    types_of_the_same_words,
    walk_lengths,
    walks,
)

ROOT = Path(__file__).parents[1]
APP = ROOT / "app"
SOURCES = sorted((APP / "lull").rglob("*.py"))
CATALOGUES = {"ChatProgram", "Pattern"}
"""Classes of rows in a list in the source; their functions are rules, as plain as data."""

FUNCTIONS_OF_TABLES = {"CheckLibraries", "RecordChecks"}
"""Classes whose functions are named by the rows of a table: the libraries that checks call, and how
each kind of records is looked at.
"""
VALUES = re.compile(
    r"clock|now|sleep|monotonic(_s)?|new_id|coin|toss|zone|rule|settings|limits|\w+_s|\w+_bytes"
)
"""Names of functions that only return a value: the time, a random one, or settings."""


@cache
def classes() -> list[ast.ClassDef]:
    """All classes in the app's sources."""
    nodes = (node for file in SOURCES for node in ast.walk(tree_of(file)))
    return [node for node in nodes if isinstance(node, ast.ClassDef)]


@pytest.mark.slow
def test_no_floor_imports_from_one_above() -> None:
    said = contracts_of(ROOT)
    assert "0 broken" in said, said


def contracts_of(root: Path) -> str:
    """What lint-imports says of a tree."""
    tool = Path(sys.executable).with_name("lint-imports")
    environ = os.environ | {"PYTHONPATH": str(root / "app"), "COLUMNS": "200"}
    done = subprocess.run(
        [tool, "--no-cache"], cwd=root, env=environ, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


PLANTED = [
    ("service/__init__", "lull.backends.system.clock", "Only wiring names concrete backends"),
    ("service/wiring/__init__", "lull.cli.main", "nothing imports from a floor above"),
    ("service/idle/quiet", "lull.backends.ollama.facts", "Only wiring names concrete backends"),
    ("cli/skills/skills", "lull.backends.ollama.facts", "Of the backends, the command line names"),
    ("cli/chat/conversations", "lull.cli.skills.skills", "The command line's subjects know"),
    ("cli/shared/keys", "lull.cli.chat.ask", "The command line's subjects know"),
    *(
        (module, "PySide6", "Qt stands only in the desktop")
        for module in ("__init__", "cli/__init__", "pocket/language", "resources", "engine/worker")
    ),
    *(
        (module, "mlx", "MLX stands only in engine and trainer")
        for module in ("__init__", "cli/main", "pocket/__init__", "resources", "desktop/main")
    ),
]
"""Module, what it must not import, and words of the contract that forbids it."""


@pytest.mark.slow
def test_a_line_that_imports_past_the_contracts_breaks_them_wherever_it_stands(
    tmp_path: Path,
) -> None:
    shutil.copytree(APP, tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module, wanted, _ in PLANTED:
        file = tmp_path / "app" / "lull" / f"{module}.py"
        file.write_text(file.read_text("utf-8") + f"\nimport {wanted}\n", "utf-8")
    _, _, told = contracts_of(tmp_path).partition("Broken contracts")
    parts = [part for part in re.split(r"\n(?=[^\n]+\n-{3,}\n)", told) if part.strip()]
    missed = [
        (module, wanted)
        for module, wanted, contract in PLANTED
        if not any(
            contract in part and re.search(rf"{dotted(module)} -> {wanted} \(", part)
            for part in parts
        )
    ]
    assert missed == [], told


def dotted(module: str) -> str:
    return f"lull/{module}".removesuffix("/__init__").replace("/", ".")


def test_no_folder_is_too_full_to_be_read() -> None:
    full = crowded(ROOT / "app") + crowded(ROOT / "tests") + crowded(ROOT / "bench")
    assert {folder: files for folder, files in full.items() if files > 16} == {}


def test_no_file_is_too_long_to_be_read() -> None:
    long = {file: len(file.read_text("utf-8").splitlines()) for file in SOURCES}
    assert {file: lines for file, lines in long.items() if lines > 420} == {}


def test_what_catches_everything_raises_it_again_or_says_why() -> None:
    silent = []
    for file in SOURCES:
        text = file.read_text("utf-8")
        lines = text.splitlines()
        for one in ast.walk(tree_of(file)):
            if not isinstance(one, ast.ExceptHandler) or not catches_everything(one):
                continue
            again = any(isinstance(step, ast.Raise) and step.exc is None for step in ast.walk(one))
            _, lint, here = lines[one.lineno - 1].partition("BLE001")
            said = (lint and here.strip(" )")) or lines[one.lineno].strip().startswith("#")
            if not again and not said:
                silent.append(f"{file}:{one.lineno}")
    assert silent == []


def catches_everything(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or ast.unparse(handler.type) in ("Exception", "BaseException")


def test_no_two_modules_import_each_other_not_even_inside_functions() -> None:
    TopologicalSorter(imported_by(APP)).prepare()  # raises CycleError, which names the circle


def test_no_two_folders_import_each_other_a_folder_and_one_inside_it_neither() -> None:
    TopologicalSorter(folders_imported_by(APP)).prepare()  # raises CycleError, as above


def test_a_folder_and_one_inside_it_that_import_each_other_are_a_pair(tmp_path: Path) -> None:
    inner = tmp_path / "house" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "house" / "__init__.py").touch()
    (inner / "__init__.py").touch()
    (inner / "low.py").write_text("")
    (inner / "high.py").write_text("from house import base\n")
    (tmp_path / "house" / "base.py").write_text("")
    assert pairs_both_ways(folders_imported_by(tmp_path)) == []
    (tmp_path / "house" / "main.py").write_text("from house.inner.low import low\n")
    assert pairs_both_ways(folders_imported_by(tmp_path)) == [("house", "house.inner")]


def test_no_public_class_or_alias_name_stands_twice() -> None:
    assert types_of_one_name(APP) == []


def test_no_two_class_names_are_made_of_the_same_words_in_another_order(tmp_path: Path) -> None:
    assert types_of_the_same_words(APP) == []
    (tmp_path / "one.py").write_text("class SkillText: ...\nclass Exam: ...\n")
    (tmp_path / "two.py").write_text(
        "class TextsSkill: ...\nclass Exams: ...\nclass GGUFFile: ...\n"
    )
    assert types_of_the_same_words(tmp_path) == [["SkillText", "TextsSkill"]]


def test_no_class_with_behaviour_is_made_of_more_than_nine_things() -> None:
    many = {one.name: count for one in classes() if (count := constructor_parameters(one)) > 9}
    assert not many, many


def test_no_bundle_of_collaborators_holds_more_than_nine_things() -> None:
    acting = acting_names()
    many = {
        one.name: len(fields)
        for one in classes()
        if len(fields := fields_of(one)) > 9 and any(names_in(f) & acting for f in fields)
    }
    assert many.keys() <= CATALOGUES, many


def test_what_wiring_makes_takes_objects_rather_than_bundles_of_functions() -> None:
    """Else a reader who follows a call ends in wiring. One function may be handed in besides the
    clock, chance and the settings as they are now.
    """
    made = made_in(APP / "lull" / "service" / "wiring", APP / "lull" / "service" / "entry")
    aliases = function_aliases() | {one.name for one in classes() if only_called(one)}
    many = {
        one.name: names
        for one in classes()
        if one.name in made and len(names := functions_taken(one, aliases)) > 1
    }
    assert many.keys() <= FUNCTIONS_OF_TABLES, many


def test_wiring_sets_nothing_on_an_object_that_is_made() -> None:
    """A part gets what it works with when it is made, or tells by a method what it is given later:
    whoever reads its class would not find a function that wiring puts in afterwards.
    """
    wiring = [file for file in SOURCES if file.is_relative_to(APP / "lull/service/wiring")]
    found = {file.name: set_on_others(tree_of(file)) for file in wiring}
    assert {name: lines for name, lines in found.items() if lines} == {}


def set_on_others(tree: ast.Module) -> list[str]:
    """Statements that set an attribute of an object other than `self`, or with `setattr`."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets):
                pass
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                targets = [target]
            case ast.Call(func=ast.Name(id="setattr")):
                found.append(ast.unparse(node))
                continue
            case _:
                continue
        for one in (part for target in targets for part in ast.walk(target)):
            of_itself = isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and not of_itself:
                found.append(ast.unparse(node))
    return found


def test_a_function_that_is_set_on_a_made_object_is_noticed() -> None:
    source = (
        "engine.lost = tell\nself.own = 1\none.damage, one.after = check, tell\nname = a.b\n"
        "setattr(engine, 'after', tell)\nparts.rule: Rule = rule\nself.index.after = tell"
    )
    assert set_on_others(ast.parse(source)) == [
        "engine.lost = tell",
        "one.damage, one.after = (check, tell)",
        "one.damage, one.after = (check, tell)",
        "parts.rule: Rule = rule",
        "self.index.after = tell",
        "setattr(engine, 'after', tell)",
    ]


def made_in(*folders: Path) -> set[str]:
    """Names of what is called in these folders."""
    return {
        node.func.id
        for file in SOURCES
        if any(file.is_relative_to(one) for one in folders)
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def function_aliases() -> set[str]:
    """Names that stand for a type of functions."""
    return {
        alias.id
        for file in SOURCES
        for node in tree_of(file).body
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Callable[")
        for alias in node.targets
        if isinstance(alias, ast.Name)
    }


def only_called(class_: ast.ClassDef) -> bool:
    """Whether a class is a protocol of what is called itself, which is one of functions too."""
    called = any(one.name == "__call__" for one in functions_of(class_))
    return called and any("Protocol" in names_in(base) for base in class_.bases)


def functions_taken(class_: ast.ClassDef, aliases: set[str]) -> list[str]:
    """Names of the functions that a constructor takes, but for clock, chance and settings."""
    given = [
        (one.arg, one.annotation)
        for made in functions_of(class_)
        if made.name == "__init__"
        for one in made.args.args + made.args.kwonlyargs
        if one.annotation is not None
    ]
    if not given and "dataclass" in decorators(class_):
        given = [
            (one.target.id, one.annotation)
            for one in class_.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        ]
    return [
        name for name, type_ in given if is_function(type_, aliases) and not VALUES.fullmatch(name)
    ]


def is_function(type_: ast.expr, aliases: set[str]) -> bool:
    """Whether a type is one of functions, or of functions among others."""
    match type_:
        case ast.BinOp(left=left, right=right):
            return is_function(left, aliases) or is_function(right, aliases)
        case ast.Subscript(value=of):
            return ast.unparse(of) == "Callable" or is_function(of, aliases)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in aliases
    return False


def test_two_functions_handed_to_a_constructor_are_noticed() -> None:
    source = (
        "class A:\n    def __init__(self, *, ask: Callable[[], str], rule: Callable[[], R],"
        " tell: Tell | None, wait_s: Callable[[], float], clock: Clock,"
        " show: None | core.Shows, find: Finds[str], made: Made) -> None: ...\n"
        "class Shows(Protocol):\n    def __call__(self) -> None: ...\n"
        "class Finds(Protocol[T]):\n    def __call__(self) -> T: ...\n"
        "class Made:\n    def __call__(self) -> None: ...\n"
        "class Clock(Protocol):\n    def now(self) -> datetime: ..."
    )
    class_, *others = [one for one in ast.parse(source).body if isinstance(one, ast.ClassDef)]
    protocols = {one.name for one in others if only_called(one)}
    assert protocols == {"Shows", "Finds"}
    assert functions_taken(class_, protocols | {"Tell"}) == ["ask", "tell", "show", "find"]


def acting_names() -> set[str]:
    """Names of the types that do something when called: functions, protocols, classes with
    behaviour, and dataclasses that hold one of these.
    """
    acting = {"Callable"} | {one.name for one in classes() if acts(one)}
    named = [
        node for file in SOURCES for node in tree_of(file).body if isinstance(node, ast.Assign)
    ]
    while True:
        aliases = {
            alias.id
            for node in named
            if isinstance(node.value, ast.Subscript) and names_in(node.value) & acting
            for alias in node.targets
            if isinstance(alias, ast.Name)
        }
        bundles = {
            one.name for one in classes() if any(names_in(f) & acting for f in fields_of(one))
        }
        if aliases | bundles <= acting:
            return acting
        acting |= aliases | bundles


def acts(class_: ast.ClassDef) -> bool:
    """Whether a class does something when called. A frozen dataclass whose methods wait for
    nothing, or an enum, is only a value.
    """
    bases = {base for one in class_.bases for base in names_in(one)}
    if "Protocol" in bases:
        return True
    value = "frozen=True" in decorators(class_) or any(base.endswith("Enum") for base in bases)
    return any(
        isinstance(one, ast.AsyncFunctionDef)
        or not (value or one.name.startswith("__") or "property" in decorators(one))
        for one in functions_of(class_)
    )


def fields_of(class_: ast.ClassDef) -> list[ast.expr]:
    """The types of the fields that a dataclass is made of; none for other classes."""
    if "dataclass" not in decorators(class_):
        return []
    return [
        one.annotation
        for one in class_.body
        if isinstance(one, ast.AnnAssign)
        and "init=False" not in ast.unparse(one)
        and "ClassVar" not in ast.unparse(one)
    ]


def names_in(node: ast.AST) -> set[str]:
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    }


def functions_of(class_: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [one for one in class_.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]


def decorators(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return " ".join(map(ast.unparse, node.decorator_list))


def constructor_parameters(class_: ast.ClassDef) -> int:
    """Number of constructor parameters; 0 for a record, whose fields are plain data."""
    functions = functions_of(class_)
    for one in functions:
        if one.name == "__init__":
            return len(one.args.posonlyargs + one.args.args + one.args.kwonlyargs) - 1
    made = decorators(class_)
    acts_itself = any(
        isinstance(one, ast.AsyncFunctionDef)
        or ("frozen=True" not in made and not one.decorator_list and not one.name.startswith("__"))
        for one in functions
    )
    return len(fields_of(class_)) if acts_itself else 0


def test_everything_public_says_in_one_line_what_it_is_for() -> None:
    assert undescribed(APP) == []


SIGNALS = '''"""Reads signals."""
import logging
from typing import Protocol


class Source(Protocol):
    """Where signals come from."""

    def read(self) -> int:
        """Return the signal's value."""

    def close(self) -> None: ...


class Mouse:
    """The mouse's signal; implements `Source`."""

    def read(self) -> int:
        return 1

    def wait(self) -> None: ...

    def _own(self) -> None: ...


class Tablet(Mouse):
    """The tablet's signal."""

    def read(self) -> int:
        return 2


class Keys:
    """The keyboard's signal, which does not say that it is one."""

    def read(self) -> int:
        return 3


class Lines(logging.Formatter):
    """Lines of a log."""

    def format(self, record: logging.LogRecord) -> str:
        return ""

    def colour(self) -> str:
        return ""
'''


def test_a_method_may_leave_its_line_to_a_protocol_a_base_or_a_library(tmp_path: Path) -> None:
    (tmp_path / "signals.py").write_text(SIGNALS)
    (tmp_path / "bare.py").write_text(
        "def run() -> None: ...\n\n\nclass Bare: ...\n\n\n"
        "class Broken(Exception):\n    title = 'It broke'\n"
    )
    assert undescribed(tmp_path) == [
        "bare.py",
        "bare.py: run",
        "bare.py: Bare",
        "signals.py: Source.close",
        "signals.py: Mouse.wait",
        "signals.py: Keys.read",
        "signals.py: Lines.colour",
    ]


def test_a_skill_is_explained_everywhere_by_the_same_words() -> None:
    kinds = r"(?:an? |short )*(?:instruction|text|rule)s?\b"
    said = re.compile(rf"[Ss]kills?\s+\((?={kinds})(?!(an\s+)?instruction\s+texts?\))")
    found = {
        str(file.relative_to(APP)): [node[0] for node in said.finditer(file.read_text("utf-8"))]
        for file in SOURCES
    }
    assert {file: places for file, places in found.items() if places} == {}


def test_the_page_of_the_house_tells_the_order_of_subjects_that_the_contracts_hold() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    held = {
        one["containers"][0].removeprefix("lull."): [
            {name.strip() for name in layer.split("|")} for layer in one["layers"]
        ]
        for one in contracts["contracts"]
        if one["type"] == "layers" and "containers" in one
    }
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*›[^|]*) \|$", page, re.MULTILINE)
    told = {
        floor: [{name.strip(" `") for name in layer.split(",")} for layer in order.split("›")]
        for floor, order in rows
    }
    assert told.keys() == {"core", "loops", "store", "backends", "service"}
    assert told == {floor: held[floor] for floor in told}


def test_each_subject_of_a_floor_has_its_tests_in_a_folder_of_its_name() -> None:
    floors = ("core", "loops", "store", "backends", "service", "cli", "desktop")
    folders = [one.parent for f in floors for one in (APP / "lull" / f).glob("*/__init__.py")]
    places = [one.relative_to(APP / "lull") for one in folders]
    bare = [str(p) for p in places if not any((ROOT / "tests" / p).rglob("test_*.py"))]
    assert bare == []


def test_each_walk_is_short_and_each_of_its_files_is_there() -> None:
    found = walks(ROOT / "docs" / "architecture.md")
    assert found.keys() == set(WALKS)
    for name, files in found.items():
        gone = [f for f in files if not is_module(f)]
        assert (name, gone) == (name, [])
        assert len(files) <= 25, name
        assert len(set(files)) == len(files), name
    for name, beside in beside_walks(ROOT / "docs" / "architecture.md").items():
        assert (name, [one for one in beside if not is_module(one)]) == (name, [])
        # A floor has files of all subjects: who named one would have named any file of it.
        floors = [one for one in beside if (APP / "lull" / one / "chat").is_dir()]
        assert (name, floors) == (name, [])


def test_the_page_says_how_long_its_walks_are() -> None:
    page = ROOT / "docs" / "architecture.md"
    text = page.read_text("utf-8")
    rows = re.findall(r"^\| files on the walk of an? (\w+) \|.*\| (.*) \|$", text, re.MULTILINE)
    assert dict(rows) == walk_lengths(page)


def test_the_page_says_how_many_goals_hold_as_the_benchmarks_do() -> None:
    page = " ".join((ROOT / "docs" / "architecture.md").read_text("utf-8").split())
    told = re.findall(r"(\w+) held \d+ of \d+(?: goals)? and holds (\d+) of (\d+)", page)
    table = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    rows = re.findall(r"^\| \[(\w+)\][^|]*\| (\d+) \| (\d+) \|", table, re.MULTILINE)
    held = {name: (int(holds), int(holds) + int(missed)) for name, holds, missed in rows}
    assert {name for name, *_ in told} == {"metaclaw_bench", "retrieval"}
    for name, holds, goals in told:
        assert (name, (int(holds), int(goals))) == (name, held[name])


def is_module(path: str) -> bool:
    place = APP / "lull" / path
    return place.with_suffix(".py").exists() or (path.endswith("/") and place.is_dir())


def python_files(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.rglob("test_*.py"))


def test_every_promise_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    named = [one.partition("::") for one in re.findall(r"`(tests/[^`]+)`", text)]
    assert [path for path, _, _ in named if not (ROOT / path).exists()] == []
    assert [
        f"{path}::{test}"
        for path, _, test in named
        if test and f"def {test}(" not in (ROOT / path).read_text("utf-8")
    ] == []
    # A whole file or folder that is named holds a test that a run collects.
    wholes = [ROOT / path for path, _, test in named if not test]
    assert [
        str(one)
        for one in wholes
        if not any("def test_" in file.read_text("utf-8") for file in python_files(one))
    ] == []


def test_the_constraints_name_no_host() -> None:
    text = (ROOT / "packaging" / "constraints.txt").read_text()
    assert "://" not in text
    assert "index-url" not in text


def test_an_alias_of_a_class_name_or_of_another_alias_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Gate: ...\nArray = list[int]\nT = int\n")
    (tmp_path / "two.py").write_text("Gate = tuple[str, str]\nArray = list[int]\nT = str\n")
    (tmp_path / "three.py").write_text("Row = dict[str, int]\n_Own = int\n")
    (tmp_path / "four.py").write_text("Row = tuple[int, ...]\n_Own = str\n")
    assert sorted(types_of_one_name(tmp_path)) == ["Gate", "Row"]  # both arrays are the same type


def test_a_folder_of_code_is_as_full_as_all_files_in_it_make_it(tmp_path: Path) -> None:
    code = tmp_path / "code"
    data = code / "data"
    data.mkdir(parents=True)
    for name in ("__init__.py", "one.py", "words.jsonl", ".hidden"):
        (code / name).touch()
    (data / "people.jsonl").touch()
    assert crowded(tmp_path) == {code: 3}
