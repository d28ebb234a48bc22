"""A minimal Python interpreter, just enough for the benchmark's one-line checks.

The source is parsed, never executed. Known are names, constants, lists, comprehensions, comparisons
and a handful of functions; files are found and read inside one workspace folder alone. A construct
that is not known is refused when it is read, not when it is reached. What was read is interpreted
in a limited child (`limited.py`).
"""

from __future__ import annotations

import ast
import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.metaclaw_bench.checks.limited import limited

MOST_STEPS = 200_000
MOST_BYTES = 4_000_000
"""Largest file that a check reads, in bytes."""
IMPORTS = frozenset({"glob", "sys", "json", "os", "re"})
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_TEXT_METHODS = """
get lower upper strip lstrip rstrip startswith endswith split splitlines replace count isdigit join
keys values items match fullmatch search findall group groups
"""
_METHODS = frozenset(_TEXT_METHODS.split())
_BUILTINS: Mapping[str, Callable[..., Any]] = {
    "sorted": sorted,
    "len": len,
    "any": any,
    "all": all,
    "list": list,
    "set": set,
    "str": str,
    "int": int,
    "next": next,
    "isinstance": isinstance,
    "bool": bool,
    "float": float,
    "tuple": tuple,
    "dict": dict,
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    "enumerate": enumerate,
    "zip": zip,
    "range": range,
}
_TYPES = {"str": str, "int": int, "list": list, "dict": dict, "bool": bool, "float": float}
_NODES = (
    ast.Module, ast.Expr, ast.Assign, ast.Import, ast.alias, ast.Name, ast.Load, ast.Store,
    ast.Constant, ast.Call, ast.Attribute, ast.ListComp, ast.GeneratorExp, ast.SetComp,
    ast.comprehension, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Compare,
    ast.IfExp, ast.Subscript, ast.List, ast.Tuple, ast.keyword, ast.cmpop, ast.BinOp, ast.Add,
    ast.Slice, ast.Sub, ast.BitOr,
)  # fmt: skip
_WORLD = frozenset(
    {
        "glob.glob",
        "sys.exit",
        "json.load",
        "json.loads",
        "os.path.exists",
        "os.path.basename",
        "os.path.isfile",
        "os.path.isdir",
        "re.compile",
        "re.findall",
        "re.match",
        "re.fullmatch",
        "re.search",
        "re.split",
        "re.sub",
    }
)
_FLAGS = frozenset({"re.I", "re.IGNORECASE", "re.M", "re.MULTILINE", "re.S", "re.DOTALL"})
_SUMS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.BitOr: operator.or_,
}
_KEYWORDS = {"open": {"encoding"}, "glob.glob": {"recursive"}, "sorted": {"reverse"}}
"""Keywords that a call may have, besides `flags` of the functions of re."""
_READS = frozenset({"read", "readlines"})


class Unreadable(ValueError):
    """Raised for Python code outside the supported subset."""


class _Exit(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


def parse(source: str) -> Inline:
    """Parse Python source of the supported subset. Raises Unreadable."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise Unreadable(f"{source!r}: {error.msg}") from None
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise Unreadable(f"{type(node).__name__} in {source!r}")
        if isinstance(node, ast.Import) and not IMPORTS.issuperset(a.name for a in node.names):
            raise Unreadable(f"an import in {source!r}")
        if isinstance(node, ast.Call):
            _known(node, source)
    called = {
        id(one) for node in ast.walk(tree) if isinstance(node, ast.Call) for one in _path(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or id(node) in called:
            continue
        if _dotted(node) not in _FLAGS:
            raise Unreadable(f"{_dotted(node)} in {source!r}")
    return Inline(source=source, tree=tree)


def _known(node: ast.Call, source: str) -> None:
    name = _dotted(node.func)
    simple = name in _WORLD or name in _BUILTINS or name in ("open", "print")
    method = isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS | _READS
    if not simple and not method:
        raise Unreadable(f"{name or 'a call'}() in {source!r}")
    allowed = {"flags"} if name.startswith("re.") else _KEYWORDS.get(name, set())
    for keyword in node.keywords:
        if keyword.arg not in allowed:
            raise Unreadable(f"{name}(… {keyword.arg}=) in {source!r}")


def _path(node: ast.Call) -> Iterator[ast.expr]:
    """Yield what names the called function: `os.path.exists` and its `os.path`, or one method."""
    at = node.func
    yield at
    while _dotted(node.func) in _WORLD and isinstance(at, ast.Attribute):
        at = at.value
        yield at


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inline:
    source: str
    tree: ast.Module = field(compare=False, repr=False)

    def exit_code(self, workspace: Path) -> int:
        return self._run(workspace)[0]

    def printed(self, workspace: Path) -> str:
        """Return what the code prints when run on a workspace; "" if it fails, as in a shell."""
        code, text = self._run(workspace)
        return text if code == 0 else ""

    def _run(self, workspace: Path) -> tuple[int, str]:
        return limited(self.source, workspace)


def interpreted(source: str, workspace: Path) -> tuple[int, str]:
    """Return a program's exit code and what it prints, interpreted in this process. Raises
    Unreadable.
    """
    run = _Run(workspace)
    try:
        for statement in parse(source).tree.body:
            run.does(statement)
    except Unreadable:
        raise
    except _Exit as exited:
        return exited.code, "\n".join(run.out)
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration, OSError, re.error):
        return 1, ""
    except (RecursionError, MemoryError, OverflowError):
        return 1, ""
    return 0, "\n".join(run.out)


class _Run:
    def __init__(self, workspace: Path) -> None:
        self.out: list[str] = []
        self._home = workspace
        self._names: dict[str, Any] = {}
        self._steps = 0

    def does(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            return
        if isinstance(node, ast.Assign):
            value = self._value(node.value)
            for target in node.targets:
                self._bind(target, value)
        elif isinstance(node, ast.Expr):
            self._value(node.value)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = value
        elif isinstance(target, ast.Tuple):
            for inner, one in zip(target.elts, value, strict=True):
                self._bind(inner, one)
        else:
            raise ValueError("no such target")

    def _value(self, node: ast.expr) -> Any:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise ValueError("too long")
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._names[node.id] if node.id in self._names else _TYPES[node.id]
            case ast.List() | ast.Tuple():
                made = [self._value(one) for one in node.elts]
                return made if isinstance(node, ast.List) else tuple(made)
            case ast.BoolOp():
                return self._bool(node)
            case ast.UnaryOp():
                value = self._value(node.operand)
                return (not value) if isinstance(node.op, ast.Not) else -value
            case ast.BinOp():
                return _SUMS[type(node.op)](self._value(node.left), self._value(node.right))
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                return self._value(node.body if self._value(node.test) else node.orelse)
            case ast.Subscript():
                return self._value(node.value)[self._value(node.slice)]
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehension(node)
            case ast.Call():
                return self._call(node)
        return self._piece(node)

    def _piece(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Attribute):
            return getattr(re, node.attr)
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            return slice(*(None if one is None else self._value(one) for one in ends))
        raise ValueError(f"no value: {type(node).__name__}")

    def _bool(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for one in node.values:
            value = self._value(one)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, node: ast.Compare) -> bool:
        left = self._value(node.left)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self._value(right_node)
            if not _COMPARED[type(op)](left, right):
                return False
            left = right
        return True

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
        made = list(self._elements(node.elt, node.generators))
        if isinstance(node, ast.SetComp):
            return set(made)
        return iter(made) if isinstance(node, ast.GeneratorExp) else made

    def _elements(self, element: ast.expr, loops: list[ast.comprehension]) -> Iterator[Any]:
        if not loops:
            yield self._value(element)
            return
        before = dict(self._names)
        for value in self._value(loops[0].iter):
            self._bind(loops[0].target, value)
            if all(self._value(test) for test in loops[0].ifs):
                yield from self._elements(element, loops[1:])
        self._names = before

    def _call(self, node: ast.Call) -> Any:
        name = _dotted(node.func)
        given = [self._value(argument) for argument in node.args]
        more = {str(one.arg): self._value(one.value) for one in node.keywords}
        if name.startswith("re.") and name in _WORLD:
            return getattr(re, name.rpartition(".")[2])(*given, **more)
        if name in _WORLD or name in ("open", "print"):
            return self._world(name, given)
        if name in _BUILTINS:
            return _BUILTINS[name](*given, **more)
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in _READS:
                text = self._value(node.func.value)
                return text if node.func.attr == "read" else text.splitlines(keepends=True)
            return getattr(self._value(node.func.value), node.func.attr)(*given)
        raise ValueError(name)

    def _world(self, name: str, given: list[Any]) -> Any:
        match name:
            case "glob.glob":
                return glob(self._home, given[0])
            case "open":
                return read(self._home, given[0])  # a text stands for its open file
            case "json.load" | "json.loads":
                return json.loads(given[0])
            case "os.path.exists":
                return inside(self._home, given[0]).exists()
            case "os.path.isfile":
                return inside(self._home, given[0]).is_file()
            case "os.path.isdir":
                return inside(self._home, given[0]).is_dir()
            case "os.path.basename":
                return given[0].rpartition("/")[2]
            case "print":
                return self.out.append(" ".join(map(str, given)))
            case "sys.exit":
                raise _Exit(_code(given[0] if given else 0))
        raise ValueError(name)


def _code(value: Any) -> int:
    return int(value) if isinstance(value, int) else int(value is not None)


def inside(workspace: Path, path: str) -> Path:
    """Return the path of a file in the workspace. Raises ValueError for a path outside it."""
    home = workspace.resolve()
    found = (home / path).resolve()
    if not found.is_relative_to(home):
        raise ValueError("outside")
    return found


def read(workspace: Path, path: str) -> str:
    """Read a text file of the workspace. Raises OSError or ValueError."""
    file = inside(workspace, path)
    if file.stat().st_size > MOST_BYTES:
        raise ValueError("too large to be read")
    return file.read_text("utf-8")


def glob(workspace: Path, pattern: str) -> list[str]:
    """Return matching relative paths in the workspace, sorted so that results are reproducible."""
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise ValueError("outside")
    found = sorted(str(file.relative_to(workspace)) for file in workspace.glob(pattern))
    return [path for path in found if _is_inside(workspace, path)]


def _is_inside(workspace: Path, path: str) -> bool:
    try:
        return bool(inside(workspace, path))
    except ValueError:
        return False
