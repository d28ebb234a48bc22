"""Finds every text of the window in its source, and writes the catalogues that translate them.

`python -m tests.desktop.language.texts` brings `resources/languages/*.po` up to date: what is new
comes in without a translation, what is gone goes.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lull.desktop.language.catalogue import Catalogue, read

T = TypeVar("T")
ROOT = Path(__file__).parents[3]
APP = ROOT / "app"
LANGUAGES = ROOT / "resources" / "languages"
HEAD = """\
# Lull's window in {name}. `python -m tests.desktop.language.texts` keeps it up to date.
msgid ""
msgstr ""
"Language: {code}\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


@dataclass(slots=True)
class Found:
    """The texts of the source, each with the files that say it."""

    texts: dict[str, set[str]] = field(default_factory=dict)
    counted: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    coded: dict[str, str] = field(default_factory=dict)
    """Texts of the service by their codes."""
    unseen: list[str] = field(default_factory=list)
    """Places whose text cannot be told from the source."""


def of_window() -> Found:
    found = Found()
    for path in sorted((APP / "lull" / "desktop").rglob("*.py")):
        _Reading(path, found).read()
    return found


class _Reading:
    """Reads one file for its calls of `tr` and `counted`."""

    def __init__(self, path: Path, found: Found) -> None:
        self.file = path.relative_to(APP).as_posix()
        self.tree = ast.parse(path.read_text("utf-8"))
        self.found = found
        self.scopes: list[ast.AST] = [self.tree]

    def read(self) -> None:
        if self.file != "lull/desktop/words.py":
            self._walk(self.tree)
            return
        # There `tr` and `counted` themselves are defined.
        for node in self.tree.body:
            if getattr(node, "name", "") not in ("tr", "counted"):
                self._walk(node)

    def _walk(self, node: ast.AST) -> None:
        inner = isinstance(node, (ast.FunctionDef, ast.Lambda))
        if inner:
            self.scopes.append(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            self._call(node, node.func.id)
        for child in ast.iter_child_nodes(node):
            self._walk(child)
        if inner:
            self.scopes.pop()

    def _call(self, call: ast.Call, name: str) -> None:
        if name == "tr":
            for text in self._said(call.args[0], call):
                self.found.texts.setdefault(text, set()).add(self.file)
        elif name == "counted":
            ones = self._said(call.args[1], call)
            for pair in zip(ones, self._said(call.args[2], call), strict=True):
                self.found.counted.setdefault(pair, set()).add(self.file)

    def _said(self, node: ast.expr, call: ast.Call) -> list[str]:
        said = list(self._texts(node))
        if not said:
            line = f"{self.file}:{call.lineno}: {ast.unparse(node)}"
            self.found.unseen.append(line)
        return said

    def _texts(self, node: ast.AST) -> Iterator[str]:
        """The texts that an expression may be: written there, or in a name or table that it
        names."""
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.IfExp(body=one, orelse=other):
                yield from self._texts(one)
                yield from self._texts(other)
            case ast.Name(id=name):
                yield from self._named(name)
            case ast.Subscript(value=ast.Name(id=name)):
                table = self._imported(name)
                if isinstance(table, Mapping):
                    yield from (str(text) for text in table.values())

    def _named(self, name: str) -> Iterator[str]:
        for scope in reversed(self.scopes):
            given = [v for node in ast.walk(scope) for v in _given(node, name, self._literal)]
            if given:
                for value in given:
                    yield from self._texts(value)
                return

    def _literal(self, node: ast.expr) -> ast.expr:
        """A table where it is written down, for a name of the module."""
        if isinstance(node, ast.Name):
            for step in self.tree.body:
                if isinstance(step, ast.AnnAssign) and step.value is not None:
                    if isinstance(step.target, ast.Name) and step.target.id == node.id:
                        return step.value
                elif isinstance(step, ast.Assign) and any(
                    isinstance(one, ast.Name) and one.id == node.id for one in step.targets
                ):
                    return step.value
        return node

    def _imported(self, name: str) -> object:
        module = importlib.import_module(self.file.removesuffix(".py").replace("/", "."))
        return getattr(module, name, None)


def _given(node: ast.AST, name: str, literal: object) -> Iterator[ast.expr]:
    """What a name is given: by `=`, or by a loop over rows of a table."""
    if isinstance(node, ast.Assign):
        if any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            yield node.value
    elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Tuple):
        places = [n for n, one in enumerate(node.target.elts) if getattr(one, "id", "") == name]
        rows = literal(node.iter)  # type: ignore[operator]
        if places and isinstance(rows, (ast.Tuple, ast.List)):
            yield from (row.elts[places[0]] for row in rows.elts if isinstance(row, ast.Tuple))


# The catalogues


def written(found: Found, said: Catalogue, *, code: str, name: str) -> str:
    """A catalogue's file: the texts of the source with the translations that there are."""
    parts = [HEAD.format(code=code, name=name)]
    for text, files in _by_file(found.texts):
        parts.append(_entry(files, msgid=text, msgstr=said.texts.get(text, "")))
    for (one, many), files in _by_file(found.counted):
        pair = said.counted.get((one, many), ("", ""))
        lines = {"msgid": one, "msgid_plural": many, "msgstr[0]": pair[0], "msgstr[1]": pair[1]}
        parts.append(_entry(files, **lines))
    for key, text in found.coded.items():
        parts.append(_entry(set(), msgctxt=key, msgid=text, msgstr=said.coded.get(key, "")))
    return "\n".join(parts)


def _by_file(found: dict[T, set[str]]) -> list[tuple[T, set[str]]]:
    return sorted(found.items(), key=lambda one: min(one[1]))


def _entry(files: set[str], **lines: str) -> str:
    where = [f"#: {file}" for file in sorted(files)]
    said = [f"{key} {json.dumps(text, ensure_ascii=False)}" for key, text in lines.items()]
    return "\n".join([*where, *said]) + "\n"


def main() -> None:
    found = of_window()
    for line in found.unseen:
        sys.stderr.write(f"cannot be seen: {line}\n")
    for path in sorted(LANGUAGES.glob("*.po")):
        path.write_text(written(found, read(path), code=path.stem, name=path.stem), "utf-8")


if __name__ == "__main__":
    main()
