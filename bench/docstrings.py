"""Finds public modules, classes, functions and methods that have no docstring of their own.

A method needs none where its reader finds the line elsewhere: where it overrides a method that has
one, where its class says that it implements a protocol whose method has one, and where it overrides
a method of a library's class, such as Qt's, which the library's manual describes. The class of an
error needs none beside its `title`.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.house import python_files, tree_of

Function = ast.FunctionDef | ast.AsyncFunctionDef


def undescribed(app: Path) -> list[str]:
    """Names of the public modules, classes, functions and methods that lack a docstring."""
    classes = _Classes(python_files(app))
    found = []
    for file in python_files(app):
        tree = tree_of(file)
        if tree.body and not ast.get_docstring(tree):
            found.append(str(file.relative_to(app)))
        found += [f"{file.relative_to(app)}: {name}" for name in _undescribed_names(tree)]
        for one in ast.walk(tree):
            if isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
                methods = classes.undescribed_methods(one, file)
                found += [f"{file.relative_to(app)}: {one.name}.{name}" for name in methods]
    return found


def _undescribed_names(tree: ast.Module) -> list[str]:
    """Names of a module's public classes and functions that lack a docstring."""
    return [
        one.name
        for one in tree.body
        if isinstance(one, ast.ClassDef | Function)
        and not (one.name.startswith("_") or ast.get_docstring(one) or _is_titled(one))
    ]


def _is_titled(node: ast.ClassDef | Function) -> bool:
    """Whether this is an error's class, whose `title` says to people what went wrong."""
    if not isinstance(node, ast.ClassDef):
        return False
    named = [target for one in node.body if isinstance(one, ast.Assign) for target in one.targets]
    named += [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
    return any(isinstance(one, ast.Name) and one.id == "title" for one in named)


class _Classes:
    """The classes of some files, found by the names under which other classes name them."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._by_name: dict[str, list[tuple[ast.ClassDef, Path]]] = {}
        for file in files:
            for one in ast.walk(tree_of(file)):
                if isinstance(one, ast.ClassDef):
                    self._by_name.setdefault(one.name, []).append((one, file))

    def undescribed_methods(self, class_: ast.ClassDef, file: Path) -> list[str]:
        """Names of a class's public methods that neither it nor what it follows describes."""
        missing = [
            name
            for name, method in _methods(class_).items()
            if not (name.startswith("_") or ast.get_docstring(method) or _is_setter(method))
        ]
        if not missing:
            return []
        followed = dict(self._followed(class_, file))
        return [
            name
            for name in missing
            if not any(_describes(one, name) for one in followed)
            and not any(_is_from_outside(one, at, name) for one, at in followed.items())
        ]

    def _followed(self, class_: ast.ClassDef, file: Path) -> Iterator[tuple[ast.ClassDef, Path]]:
        """The class itself, and those that it derives from or says that it implements."""
        todo, seen = [(class_, file)], set()
        while todo:
            one, at = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            yield one, at
            todo += [found for name in _bases(one) for found in self._named(name, at)]
            todo += [
                (found, place)
                for name in _said_to_be_implemented(one)
                for found, place in self._named(name, at)
                if "Protocol" in _bases(found)
            ]

    def _named(self, name: str, file: Path) -> list[tuple[ast.ClassDef, Path]]:
        """The class of this name: the one in the same file, else the only one there is."""
        found = self._by_name.get(name, [])
        here = [one for one in found if one[1] == file]
        return here or (found if len(found) == 1 else [])


def _methods(class_: ast.ClassDef) -> dict[str, Function]:
    return {one.name: one for one in class_.body if isinstance(one, Function)}


def _describes(class_: ast.ClassDef, name: str) -> bool:
    method = _methods(class_).get(name)
    return method is not None and bool(ast.get_docstring(method))


def _is_setter(method: Function) -> bool:
    return any(ast.unparse(one).endswith(".setter") for one in method.decorator_list)


def _bases(class_: ast.ClassDef) -> list[str]:
    """The names of a class's bases, without type parameters."""
    return [
        ast.unparse(one.value if isinstance(one, ast.Subscript) else one) for one in class_.bases
    ]


def _said_to_be_implemented(class_: ast.ClassDef) -> list[str]:
    _, *after = re.split("implements", ast.get_docstring(class_) or "", flags=re.IGNORECASE)
    return re.findall(r"\w+", " ".join(after))


def _is_from_outside(class_: ast.ClassDef, file: Path, name: str) -> bool:
    """Whether one of the class's bases is not ours and has an attribute of this name."""
    imported = _imported(tree_of(file))
    for base in _bases(class_):
        first, *rest = base.split(".")
        if first in imported:
            found = _attribute(imported[first], rest)
        else:
            found = getattr(builtins, first, None)
        if hasattr(found, name):
            return True
    return False


def _imported(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """For each name that a file imports from outside: the module, and the name in it, if any."""
    found: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                module = one.name if one.asname else one.name.split(".")[0]
                found[one.asname or module] = (module,)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                found[one.asname or one.name] = (node.module, one.name)
    return {name: place for name, place in found.items() if not place[0].startswith("lull")}


def _attribute(place: tuple[str, ...], rest: Iterable[str]) -> object:
    """What stands under these names in an importable module; None if it is not installed."""
    module, *names = place
    try:
        found: object = importlib.import_module(module)
    except ImportError:
        return None
    for name in (*names, *rest):
        found = getattr(found, name, None)
    return found
