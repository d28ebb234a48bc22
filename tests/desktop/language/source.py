"""Reads texts out of a Python file: a function's arguments, also by way of names and tables."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

Called = Callable[["Source", str, ast.Call], None]
Function = ast.FunctionDef | ast.AsyncFunctionDef
NUMBER: Final = re.compile(r"[,.\d]*[fg%]|,")
"""The format of a value that is written as a number, such as ".1f"."""


class Form(str):
    """A text of the source, which knows its file, and in which of its places a number stands."""

    __slots__ = ("file", "numbers")
    file: str
    numbers: frozenset[str]


def form(text: str, file: str, numbers: frozenset[str] = frozenset()) -> Form:
    made = Form(text)
    made.file, made.numbers = file, numbers
    return made


class Index:
    """Which functions the files define, and where they are called with what: by this, texts are
    followed through parameters and out of functions.
    """

    def __init__(self) -> None:
        self.files: dict[str, Source] = {}
        self._defined: dict[str, list[tuple[Source, list[ast.AST], Function]]] = {}
        self._called: dict[str, list[tuple[Source, list[ast.AST], ast.Call]]] = {}

    def add(self, source: Source) -> None:
        self.files[source.file] = source
        for scopes, node in source.nested:
            if isinstance(node, Function):
                self._defined.setdefault(node.name, []).append((source, [*scopes, node], node))
            elif isinstance(node, ast.Call):
                self._called.setdefault(_name(node.func), []).append((source, scopes, node))

    def given(self, at: Source, function: Function, name: str) -> Iterator[Given]:
        """Yield what the calls of a function give to its parameter of this name, and its default.

        A method is found by its name; a private one in its own file only.
        """
        spec = function.args
        names = [one.arg for one in (*spec.posonlyargs, *spec.args)]
        for one, default in zip(reversed(names), reversed(spec.defaults), strict=False):
            if one == name:
                yield at, [at.tree], default
        for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if arg.arg == name and value is not None:
                yield at, [at.tree], value
        called = at.class_of(function) if function.name == "__init__" else function.name
        place = names.index(name) - (names[0] in ("self", "cls")) if name in names else None
        for source, scopes, call in self._called.get(called, ()):
            if called.startswith("_") and source is not at:
                continue
            for word in call.keywords:
                if word.arg == name:
                    yield source, scopes, word.value
            if place is not None and 0 <= place < len(call.args):
                yield source, scopes, call.args[place]

    def returned(self, at: Source, called: str) -> Iterator[Given]:
        """Yield what the functions of this name return; private ones in the same file only."""
        for source, scopes, function in self._defined.get(called, ()):
            if called.startswith("_") and source is not at:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield source, scopes, node.value


class Source:
    """One file of the application, walked through call by call."""

    def __init__(self, path: Path, app: Path, index: Index | None = None) -> None:
        self.file = path.relative_to(app).as_posix()
        self.tree = ast.parse(path.read_text("utf-8"))
        self._scopes: list[ast.AST] = [self.tree]
        self._known: dict[tuple[str, int, int], list[Form]] = {}
        self._given: dict[int, dict[str, list[ast.expr]]] = {}
        self._index = index or Index()
        self._index.add(self)

    @cached_property
    def nested(self) -> list[tuple[list[ast.AST], ast.AST]]:
        """Every node in the file's order, with the module and the functions that it stands in."""
        found: list[tuple[list[ast.AST], ast.AST]] = []
        waiting: list[tuple[list[ast.AST], ast.AST]] = [([self.tree], self.tree)]
        while waiting:
            found.append(waiting.pop())
            scopes, node = found[-1]
            inner = isinstance(node, (Function, ast.Lambda))
            below = [*scopes, node] if inner else scopes
            waiting += reversed([(below, child) for child in ast.iter_child_nodes(node)])
        return found

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        return [node for _, node in self.nested if isinstance(node, ast.ClassDef)]

    def class_of(self, function: Function) -> str:
        """Return the name of the class that has this method; "" if none has it."""
        return next((one.name for one in self.classes if function in one.body), "")

    def walk(self, called: Called, *, but: tuple[str, ...] = ()) -> None:
        """Pass each call to `called`, except those in top-level functions named in `but`."""
        for scopes, node in self.nested:
            if isinstance(node, ast.Call) and not (
                len(scopes) > 1 and getattr(scopes[1], "name", "") in but
            ):
                self._scopes = scopes
                called(self, _name(node.func), node)
        self._scopes = [self.tree]

    def texts(self, node: ast.AST | None, deep: int = 4) -> Iterator[Form]:
        """Yield the texts that an expression may be: its own, or those in a name or table it names.

        Values in an f-string become places.
        """
        match node:
            case ast.Constant(value=str(text)):
                yield form(text, self.file)
            case ast.JoinedStr(values=parts):
                yield _form(parts, self.file)
            case ast.IfExp(body=one, orelse=other):
                yield from self.texts(one, deep)
                yield from self.texts(other, deep)
            case ast.BoolOp(values=ones):
                for one in ones:
                    yield from self.texts(one, deep)
            case ast.Name() | ast.Attribute(value=ast.Name(id="self")) if deep:
                for source, scopes, value in self._values_of(node):
                    yield from source.texts_within(scopes, value, deep - 1)
            case ast.Subscript(value=ast.Name(id=name)) if name.isupper():
                yield from self._in_table(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=args) if (
                name.isupper()
            ):
                yield from self._in_table(name)
                for default in args[1:]:
                    yield from self.texts(default, deep)
            case ast.Call(func=ast.Name(id=name)) if deep:
                for source, scopes, value in self._index.returned(self, name):
                    yield from source.texts_within(scopes, value, deep - 1)

    def texts_within(self, scopes: list[ast.AST], node: ast.AST, deep: int) -> Iterator[Form]:
        """Yield the texts that an expression in these functions may be."""
        yield from self._within("texts", scopes, node, deep)

    def inserted(self, node: ast.AST | None, deep: int = 3) -> Iterator[Form]:
        """Yield the texts that may fill the places of an expression's texts: they are shown, too.

        Names, calls and fields of `self` are followed; a field of another object is data.
        """
        match node:
            case ast.JoinedStr(values=parts):
                for part in parts:
                    if isinstance(part, ast.FormattedValue) and part.conversion == -1:
                        yield from self.texts(part.value)
                        yield from self.inserted(part.value, deep)
            case ast.IfExp(body=one, orelse=other):
                yield from self.inserted(one, deep)
                yield from self.inserted(other, deep)
            case ast.Name() | ast.Attribute(value=ast.Name(id="self")) if deep:
                for source, scopes, value in self._values_of(node):
                    yield from source.inserted_within(scopes, value, deep - 1)
            case ast.Call(func=ast.Name(id=name)) if deep:
                for source, scopes, value in self._index.returned(self, name):
                    yield from source.inserted_within(scopes, value, deep - 1)

    def inserted_within(self, scopes: list[ast.AST], node: ast.AST, deep: int) -> Iterator[Form]:
        """Yield the texts that may fill the places of an expression in these functions."""
        yield from self._within("inserted", scopes, node, deep)

    def _within(self, what: str, scopes: list[ast.AST], node: ast.AST, deep: int) -> list[Form]:
        key = (what, id(node), deep)
        if (known := self._known.get(key)) is None:
            before, self._scopes = self._scopes, scopes
            find = self.texts if what == "texts" else self.inserted
            known = self._known[key] = list(dict.fromkeys(find(node, deep)))
            self._scopes = before
        return known

    def _in_table(self, name: str) -> Iterator[Form]:
        table = self._imported(name)
        if isinstance(table, Mapping):
            yield from (form(str(text), self.file) for text in table.values())

    def nearest(self, node: ast.expr) -> list[str]:
        """Return an expression's texts; of a name, those of the last value it was given above."""
        if not isinstance(node, ast.Name):
            return list(self.texts(node))
        given = [
            (value.lineno, value)
            for value in self._givens(self._scopes[-1]).get(node.id, ())
            if value.lineno <= node.lineno
        ]
        last = max(given, key=lambda one: one[0], default=None)
        return list(self.texts(last[1])) if last else list(self.texts(node))

    def written(self) -> Iterator[Form]:
        """Yield every text of several words in the file that is neither a docstring nor logged."""
        passed: set[int] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                passed.add(id(node.value))
            elif isinstance(node, ast.Call) and _unsaid(node.func):
                passed |= {id(one) for one in ast.walk(node)}
            elif isinstance(node, ast.JoinedStr):
                passed |= {id(one) for one in ast.walk(node) if one is not node}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in passed:
                yield from (text for text in self.texts(node) if " " in text.strip())

    def _values_of(self, node: ast.Name | ast.Attribute) -> Iterator[Given]:
        if isinstance(node, ast.Attribute):
            yield from self._values_of_field(node.attr)
        else:
            yield from self._values_of_name(node.id)

    def _values_of_field(self, name: str) -> Iterator[Given]:
        """Yield what a field of an object is given in this file: in a method or in the class."""
        for scopes, value in self._fields.get(name, ()):
            yield self, scopes, value

    @cached_property
    def _fields(self) -> dict[str, list[tuple[list[ast.AST], ast.expr]]]:
        found: dict[str, list[tuple[list[ast.AST], ast.expr]]] = {}
        for scopes, step in self.nested:
            targets = step.targets if isinstance(step, ast.Assign) else []
            if isinstance(step, ast.AnnAssign) and step.value is not None:
                targets = [step.target]
            for target in targets:
                of_self = isinstance(target, ast.Attribute) and _name(target.value) == "self"
                if of_self or (len(scopes) == 1 and isinstance(target, ast.Name)):
                    found.setdefault(_name(target), []).append((scopes, step.value))  # type: ignore[attr-defined]
        return found

    def _values_of_name(self, name: str) -> Iterator[Given]:
        """Yield what a name is given in the innermost function that gives it anything; if it is a
        parameter there, what calls give to it.
        """
        for depth in range(len(self._scopes), 0, -1):
            scope, scopes = self._scopes[depth - 1], self._scopes[:depth]
            given: list[Given] = [
                (self, scopes, value) for value in self._givens(scope).get(name, ())
            ]
            if isinstance(scope, Function):
                given += self._index.given(self, scope, name)
            if given:
                yield from given
                return
        if (home := self._home_of(name)) is not None:
            yield from ((home, [home.tree], one) for one in home._givens(home.tree).get(name, ()))

    def _home_of(self, name: str) -> Source | None:
        """Return the file from which a name is imported; None if it is of no file of ours."""
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and name in (one.name for one in node.names):
                return self._index.files.get(f"{str(node.module).replace('.', '/')}.py")
        return None

    def _givens(self, scope: ast.AST) -> dict[str, list[ast.expr]]:
        """Return what each name in a function or file is given: by `=`, or by a loop over the rows
        of a table.
        """
        if (known := self._given.get(id(scope))) is not None:
            return known
        found: dict[str, list[ast.expr]] = {}
        self._given[id(scope)] = found
        loops = []
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                if isinstance(node.target, ast.Name):
                    found.setdefault(node.target.id, []).append(node.value)
            elif isinstance(node, (ast.For, ast.comprehension)):
                loops.append(node)
        for loop in loops:
            rows = self._table(loop.iter) if isinstance(loop.target, ast.Tuple) else None
            if isinstance(rows, (ast.Tuple, ast.List)):
                for place, one in enumerate(loop.target.elts):  # type: ignore[attr-defined]
                    found.setdefault(_name(one), []).extend(
                        row.elts[place] for row in rows.elts if isinstance(row, ast.Tuple)
                    )
        return found

    def _table(self, node: ast.expr) -> ast.expr:
        """Return the table that a name of the module is given; anything else as it is."""
        if isinstance(node, ast.Name):
            return next(iter(self._givens(self.tree).get(node.id, ())), node)
        return node

    def _imported(self, name: str) -> object:
        module = importlib.import_module(self.file.removesuffix(".py").replace("/", "."))
        return getattr(module, name, None)


def _is_number(value: ast.FormattedValue) -> bool:
    spec = value.format_spec
    return isinstance(spec, ast.JoinedStr) and bool(NUMBER.fullmatch(_form(spec.values)))


def _unsaid(called: ast.expr) -> bool:
    """Return whether a call's text is no sentence to be recognised: it has a code, or it is for
    developers, such as a log line.
    """
    return ast.unparse(called).startswith(("log.", "ValueError", "TypeError", "coded_text"))


def _name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")


def _form(parts: list[ast.expr], file: str = "") -> Form:
    text, places, numbers = "", 0, set()
    for part in parts:
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        places += 1
        text += f"%{places}"
        if isinstance(part, ast.FormattedValue) and _is_number(part):
            numbers.add(str(places))
    return form(text, file, frozenset(numbers))


Given = tuple[Source, list[ast.AST], ast.expr]
"""A value that a name may have: its file, the functions it stands in, and the expression."""
