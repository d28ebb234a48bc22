"""Reads texts out of a Python file: a function's arguments, also by way of names and tables."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

Called = Callable[["Source", str, ast.Call], None]


class Source:
    """One file of the application, walked through call by call."""

    def __init__(self, path: Path, app: Path) -> None:
        self.file = path.relative_to(app).as_posix()
        self.tree = ast.parse(path.read_text("utf-8"))
        self._scopes: list[ast.AST] = [self.tree]

    def walk(self, called: Called, *, but: tuple[str, ...] = ()) -> None:
        """Pass each call to `called`, except those in top-level functions named in `but`."""
        for node in self.tree.body:
            if getattr(node, "name", "") not in but:
                self._walk(node, called)

    def _walk(self, node: ast.AST, called: Called) -> None:
        inner = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if inner:
            self._scopes.append(node)
        if isinstance(node, ast.Call):
            called(self, _name(node.func), node)
        for child in ast.iter_child_nodes(node):
            self._walk(child, called)
        if inner:
            self._scopes.pop()

    def texts(self, node: ast.AST | None, deep: int = 4) -> Iterator[str]:
        """Yield the texts that an expression may be: its own, or those in a name or table it names.

        Values in an f-string become places.
        """
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.JoinedStr(values=parts):
                yield _form(parts)
            case ast.IfExp(body=one, orelse=other):
                yield from self.texts(one, deep)
                yield from self.texts(other, deep)
            case ast.Name(id=name) if deep:
                yield from self._named(name, deep - 1)
            case ast.Subscript(value=ast.Name(id=name)) if name.isupper():
                table = self._imported(name)
                if isinstance(table, Mapping):
                    yield from (str(text) for text in table.values())

    def nearest(self, node: ast.expr) -> list[str]:
        """Return an expression's texts; of a name, those of the last value it was given above."""
        if not isinstance(node, ast.Name):
            return list(self.texts(node))
        given = [
            (value.lineno, value)
            for step in ast.walk(self._scopes[-1])
            for value in self._given(step, node.id)
            if value.lineno <= node.lineno
        ]
        last = max(given, key=lambda one: one[0], default=None)
        return list(self.texts(last[1])) if last else list(self.texts(node))

    def written(self) -> Iterator[str]:
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

    def _named(self, name: str, deep: int) -> Iterator[str]:
        for scope in reversed(self._scopes):
            given = [value for node in ast.walk(scope) for value in self._given(node, name)]
            if given:
                for value in given:
                    yield from self.texts(value, deep)
                return

    def _given(self, node: ast.AST, name: str) -> Iterator[ast.expr]:
        """Yield what a name is given: by `=`, or by a loop over the rows of a table."""
        if isinstance(node, ast.Assign):
            if any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
                yield node.value
        elif isinstance(node, ast.AnnAssign):
            if getattr(node.target, "id", "") == name and node.value is not None:
                yield node.value
        elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Tuple):
            places = [n for n, one in enumerate(node.target.elts) if getattr(one, "id", "") == name]
            rows = self._table(node.iter)
            if places and isinstance(rows, (ast.Tuple, ast.List)):
                yield from (row.elts[places[0]] for row in rows.elts if isinstance(row, ast.Tuple))

    def _table(self, node: ast.expr) -> ast.expr:
        """Return the table that a name of the module is given; anything else as it is."""
        if isinstance(node, ast.Name):
            for step in self.tree.body:
                for value in self._given(step, node.id):
                    return value
        return node

    def _imported(self, name: str) -> object:
        module = importlib.import_module(self.file.removesuffix(".py").replace("/", "."))
        return getattr(module, name, None)


def _unsaid(called: ast.expr) -> bool:
    """Return whether a call's text is for developers: a log line, or a broken rule of the code."""
    return ast.unparse(called).startswith(("log.", "ValueError", "TypeError"))


def _name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")


def _form(parts: list[ast.expr]) -> str:
    form, places = "", 0
    for part in parts:
        if isinstance(part, ast.Constant):
            form += str(part.value)
        else:
            places += 1
            form += f"%{places}"
    return form
