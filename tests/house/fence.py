"""Reads from a file's syntax tree what it reaches outside of Lull: imports, and calls of the clock,
of chance, of files and of the terminal.

What a floor may use is listed; everything else is a breach. So a new way out has to be allowed by
name instead of being thought of here before somebody takes it.
"""

from __future__ import annotations

import ast
import datetime
import importlib
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import ModuleType
from typing import Final

BUILTINS: Final = frozenset(
    {
        "__builtins__",
        "__import__",
        "breakpoint",
        "compile",
        "eval",
        "exec",
        "input",
        "open",
        "print",
    }
)
"""Built-in functions that read, write or run something."""
OF_THE_CLOCK: Final = frozenset({"now", "today", "utcnow"})
OF_FILES: Final = frozenset(
    set(dir(Path)) - set(dir(PurePath)) - set(dir(str)) - set(dir(re.Match))
)
"""Methods of `Path` that look at the disk, but for those that texts or matches have too."""
PROPERTIES: Final = frozenset({"home", "monotonic_s", "now", "open", "owner", "samples", "seed"})
"""Of these names also values of ours, which only a call tells from the methods."""

_ALL: Final = None


@dataclass(frozen=True)
class Fence:
    """What the files of one floor may reach."""

    modules: Mapping[str, frozenset[str] | None]
    """Modules that may be imported, each with the names that may be used; None allows all that are
    not themselves modules.
    """
    own: frozenset[str] = frozenset({"lull"})
    """Packages of Lull that this fence leaves to the contracts."""
    methods: frozenset[str] = OF_FILES
    """Methods that may be used of no object."""
    waits: bool = True
    """Whether functions may be asynchronous outside of protocols."""


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VALUES: Final[Mapping[str, frozenset[str] | None]] = {
    "__future__": _ALL,
    "bisect": _ALL,
    "collections": _ALL,
    "collections.abc": _ALL,
    "dataclasses": _ALL,
    "datetime": _ALL,
    "enum": _ALL,
    "functools": _ALL,
    "hashlib": _names("blake2b sha1 sha256"),
    "itertools": _ALL,
    "math": _ALL,
    "pathlib": _names("Path PurePath"),
    "random": _names("Random"),
    "re": _ALL,
    "typing": _ALL,
}

CORE: Final = Fence(
    modules={
        **_VALUES,
        "array": _ALL,
        "ast": _ALL,
        "base64": _ALL,
        "binascii": _ALL,
        "codecs": _names("BOM_UTF16_BE BOM_UTF16_LE"),
        "difflib": _ALL,
        "errno": _ALL,
        "fractions": _ALL,
        "heapq": _ALL,
        "html.entities": _ALL,
        "ipaddress": _ALL,
        "json": _ALL,
        "json.decoder": _names("scanstring"),
        "operator": _names("itemgetter"),
        "statistics": _names("NormalDist fmean median variance"),
        "textwrap": _ALL,
        "tomllib": _names("TOMLDecodeError loads"),
        "types": _names("MappingProxyType NoneType UnionType"),
        "unicodedata": _ALL,
        "urllib.parse": _ALL,
    },
    own=frozenset({"lull.core"}),
    methods=OF_FILES | OF_THE_CLOCK | {"monotonic_s", "samples", "seed"},
    waits=False,
)
LOOPS: Final = Fence(
    modules={
        **_VALUES,
        "asyncio": _names(
            "CancelledError Event FIRST_COMPLETED Future Lock Semaphore Task create_task"
            " ensure_future gather sleep timeout to_thread wait wait_for"
        ),
        "contextlib": _ALL,
        "logging": _names("getLogger"),
        "threading": _names("Event"),
    }
)


def breaches(source: str, fence: Fence) -> list[str]:
    """What a file does that its floor may not, each as its line and what stands there."""
    return _Reading(source, fence).found()


@dataclass
class _Reading:
    """One file while it is read."""

    source: str
    fence: Fence
    known: dict[str, object] = field(default_factory=dict)
    """What each imported name stands for."""

    def found(self) -> list[str]:
        tree = ast.parse(self.source)
        for node in ast.walk(tree):
            self._learn(node)
        bases = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        declared = {one for node in ast.walk(tree) for one in _declared(node)}
        found = set()
        for node in ast.walk(tree):
            if node not in declared and self._breaks(node, handed_on=node not in bases):
                found.add((getattr(node, "lineno", 0), ast.unparse(node).partition("\n")[0]))
        return [f"{line}: {what}" for line, what in sorted(found)]

    def _learn(self, node: ast.AST) -> None:
        """Remember what an import brings in, where the fence lets it pass."""
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name in self.fence.modules:
                    module = importlib.import_module(one.name)
                    top = importlib.import_module(one.name.partition(".")[0])
                    self.known[one.asname or top.__name__] = module if one.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module in self.fence.modules:
            module = importlib.import_module(node.module or "")
            for one in node.names:
                self.known[one.asname or one.name] = getattr(module, one.name, None)

    def _breaks(self, node: ast.AST, *, handed_on: bool) -> bool:
        match node:
            case ast.Import(names=names):
                return any(not self._imported(one.name) for one in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                return level > 0 or any(not self._imported(module or "", one.name) for one in names)
            case ast.Name(id=name, ctx=ast.Load()):
                return name in BUILTINS or (
                    handed_on and isinstance(self.known.get(name), ModuleType)
                )
            case ast.Attribute(value=value, attr=name):
                return name in self.fence.methods - PROPERTIES or not self._used(
                    self._meant(value), name
                )
            case ast.Call():
                return self._called(node)
            case ast.Constant(value=str(name)):
                return name in BUILTINS and name.startswith("__")
            case ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith() | ast.Await():
                return not self.fence.waits
            case ast.comprehension(is_async=waits):
                return bool(waits) and not self.fence.waits
        return False

    def _imported(self, module: str, name: str = "") -> bool:
        """Whether a module, or a name of it, may be imported."""
        if any(module == own or module.startswith(f"{own}.") for own in self.fence.own):
            return True
        if module not in self.fence.modules:
            return False
        return not name or self._used(importlib.import_module(module), name)

    def _used(self, of: object, name: str) -> bool:
        """Whether a name of something imported may be used."""
        if of in (datetime.datetime, datetime.date):
            return name not in OF_THE_CLOCK
        if of in (Path, PurePath):
            return name not in OF_FILES
        if not isinstance(of, ModuleType):
            return True
        found = getattr(of, name, None)
        if isinstance(found, ModuleType):
            return found.__name__ in self.fence.modules
        allowed = self.fence.modules.get(of.__name__, frozenset())
        return name != "*" and (allowed is None or name in allowed)

    def _meant(self, node: ast.expr) -> object:
        """What an expression such as `datetime.datetime` stands for; None if it is nothing
        imported.
        """
        match node:
            case ast.Name(id=name):
                return self.known.get(name)
            case ast.Attribute(value=value, attr=name):
                return getattr(self._meant(value), name, None)
        return None

    def _called(self, call: ast.Call) -> bool:
        """Whether a call reaches outside."""
        if self._meant(call.func) is random.Random:
            return not call.args and not call.keywords  # without a seed it is chance
        match call:
            case ast.Call(func=ast.Attribute(attr="astimezone")):
                return not call.args and not call.keywords  # the machine's own zone
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in self.fence.methods & PROPERTIES
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]):
                return name in self.fence.methods
        return False


def _declared(node: ast.AST) -> Iterator[ast.AST]:
    """The methods that a protocol only declares: what they do is written elsewhere."""
    if isinstance(node, ast.ClassDef) and any("Protocol" in ast.unparse(b) for b in node.bases):
        for one in node.body:
            if isinstance(one, ast.AsyncFunctionDef) and all(
                isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant)
                for step in one.body
            ):
                yield one
