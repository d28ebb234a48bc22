"""Small functions that a model wrote, tried out without running them as Python.

The text is parsed and walked here, step by step, over plain values: numbers, texts, lists, tuples,
sets and dictionaries. There is no import, no attribute but a short list of harmless methods, no
name but the function's own and a few of Python's, and a bound on steps, depth and sizes. What
goes beyond is not run: the test of that function fails, whatever it meant to do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from lull.core import small_values as values_
from lull.core.small_values import (
    BUILTINS,
    COMPARED,
    UNARY,
    VALUES,
    Refused,
    bounded,
    guarded,
    items,
)

MOST_STEPS: Final = 20_000
DEEPEST: Final = 60
"""Calls within calls, and expressions within expressions."""
LONGEST_CODE: Final = 8_000


class _Return(Exception):
    def __init__(self, value: object) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


def passes(code: str, function: str, tests: Sequence[tuple[Sequence[object], object]]) -> bool:
    """Whether the function of this name gives for these arguments what is expected of it."""
    try:
        house = _House(code)
        return all(_same(house.call(function, _copied(args)), want) for args, want in tests)
    except Refused:
        return False


def _same(value: object, wanted: object) -> bool:
    """JSON knows no tuples; a truth value is not a number here."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, list | tuple) and isinstance(wanted, list | tuple):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(value, float) and isinstance(wanted, int | float):
        return abs(value - wanted) <= 1e-9 * max(1.0, abs(wanted))
    return value == wanted


def _copied(values: Iterable[object]) -> list[object]:
    return [
        list(v) if isinstance(v, list) else dict(v) if isinstance(v, dict) else v for v in values
    ]


class _House:
    """The functions of one text."""

    def __init__(self, code: str) -> None:
        if len(code) > LONGEST_CODE:
            raise Refused("too long")
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Refused("not Python") from error
        self._functions = {s.name: s for s in tree.body if isinstance(s, ast.FunctionDef)}
        self._steps = 0
        self._depth = 0

    def call(self, name: str, arguments: Sequence[object]) -> object:
        function = self._functions.get(name)
        if function is None:
            raise Refused(f"there is no function {name}")
        scope = self._scope(function, arguments)
        self._deeper()
        try:
            self._run(function.body, scope)
        except _Return as done:
            return done.value
        except (_Break, _Continue) as error:
            raise Refused("outside of a loop") from error
        finally:
            self._depth -= 1
        return None

    def _scope(self, function: ast.FunctionDef, arguments: Sequence[object]) -> dict[str, object]:
        spec = function.args
        if spec.vararg or spec.kwarg or spec.kwonlyargs or function.decorator_list:
            raise Refused("such arguments are not known here")
        names = [one.arg for one in (*spec.posonlyargs, *spec.args)]
        given = dict(zip(names, arguments, strict=False))
        for name, default in zip(reversed(names), reversed(spec.defaults), strict=False):
            given.setdefault(name, self._value(default, {}))
        if len(arguments) > len(names) or len(given) < len(names):
            raise Refused("wrong number of arguments")
        return given

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            self._depth -= 1
            raise Refused("too deep")

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Refused("too many steps")

    # Statements

    def _run(self, body: Sequence[ast.stmt], scope: dict[str, object]) -> None:
        for statement in body:
            self._step()
            self._statement(statement, scope)

    def _statement(self, statement: ast.stmt, scope: dict[str, object]) -> None:  # noqa: PLR0912  one case a kind
        match statement:
            case ast.Return(value=value):
                raise _Return(None if value is None else self._value(value, scope))
            case ast.Assign(targets=targets, value=value):
                found = self._value(value, scope)
                for target in targets:
                    self._assign(target, found, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self._value(value, scope), scope)
            case ast.AugAssign(target=target, op=op, value=value):
                old = self._value(_as_read(target), scope)
                self._assign(target, values_.binary(op, old, self._value(value, scope)), scope)
            case ast.If(test=test, body=body, orelse=orelse):
                self._run(body if self._value(test, scope) else orelse, scope)
            case ast.While(test=test, body=body, orelse=orelse):
                self._loop(self._while(test, scope), body, orelse, scope)
            case ast.For(target=target, iter=over, body=body, orelse=orelse):
                self._loop(self._for(target, over, scope), body, orelse, scope)
            case ast.Expr(value=value):
                self._value(value, scope)
            case ast.Pass():
                pass
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case _:
                raise Refused(f"{type(statement).__name__} is not run here")

    def _while(self, test: ast.expr, scope: dict[str, object]) -> Iterable[None]:
        while self._value(test, scope):
            self._step()
            yield

    def _for(self, target: ast.expr, over: ast.expr, scope: dict[str, object]) -> Iterable[None]:
        for item in items(self._value(over, scope)):
            self._step()
            self._assign(target, item, scope)
            yield

    def _loop(
        self,
        rounds: Iterable[None],
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        scope: dict[str, object],
    ) -> None:
        for _ in rounds:
            try:
                self._run(body, scope)
            except _Continue:
                continue
            except _Break:
                return
        self._run(orelse, scope)

    def _assign(self, target: ast.expr, value: object, scope: dict[str, object]) -> None:
        match target:
            case ast.Name(id=name):
                scope[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                parts_of = items(value)
                if len(parts_of) != len(parts):
                    raise Refused("the parts do not fit")
                for part, item in zip(parts, parts_of, strict=True):
                    self._assign(part, item, scope)
            case ast.Subscript(value=holder, slice=index):
                values_.put(self._value(holder, scope), self._index(index, scope), value)
            case _:
                raise Refused("nothing is put there")

    # Expressions

    def _value(self, node: ast.expr, scope: dict[str, object]) -> object:
        self._step()
        self._deeper()
        try:
            return bounded(self._expression(node, scope))
        finally:
            self._depth -= 1

    def _expression(self, node: ast.expr, scope: dict[str, object]) -> object:  # noqa: PLR0912  one case a kind
        match node:
            case ast.Constant(value=constant) if isinstance(constant, VALUES):
                return constant
            case ast.Name(id=name):
                if name in scope:
                    return scope[name]
                raise Refused(f"{name} is not known")
            case ast.BinOp(left=left, op=op, right=right):
                return values_.binary(op, self._value(left, scope), self._value(right, scope))
            case ast.UnaryOp(op=op, operand=operand):
                value, act = self._value(operand, scope), UNARY[type(op)]
                return guarded(lambda: act(value))
            case ast.BoolOp(op=op, values=values):
                return self._either(values, scope, stop_at=isinstance(op, ast.Or))
            case ast.Compare():
                return self._compare(node, scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._value(body if self._value(test, scope) else orelse, scope)
            case ast.Subscript(value=holder, slice=index):
                return values_.taken(self._value(holder, scope), self._index(index, scope))
            case ast.Call():
                return self._call(node, scope)
            case ast.JoinedStr(values=values):
                return "".join(self._formatted(one, scope) for one in values)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return self._collection(node, scope)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehended(node, scope)
            case _:
                raise Refused(f"{type(node).__name__} is not run here")

    def _either(
        self, values: Sequence[ast.expr], scope: dict[str, object], *, stop_at: bool
    ) -> object:
        found: object = None
        for value in values:
            found = self._value(value, scope)
            if bool(found) is stop_at:
                break
        return found

    def _compare(self, node: ast.Compare, scope: dict[str, object]) -> bool:
        left = self._value(node.left, scope)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right, act = self._value(right_node, scope), COMPARED[type(op)]
            if not guarded(lambda left=left, right=right, act=act: act(left, right)):  # type: ignore[misc]
                return False
            left = right
        return True

    def _call(self, node: ast.Call, scope: dict[str, object]) -> object:
        arguments = [self._value(one, scope) for one in node.args]
        named = {str(one.arg): self._value(one.value, scope) for one in node.keywords}
        match node.func:
            case ast.Name(id=name) if name in self._functions and not named:
                return self.call(name, arguments)
            case ast.Name(id="range") if not named:
                return values_.counted(arguments)
            case ast.Name(id=name) if name in BUILTINS and name not in scope:
                return values_.built_in(name, arguments, named)
            case ast.Attribute(value=holder, attr=method):
                return values_.method(self._value(holder, scope), method, arguments, named)
            case _:
                raise Refused("that is not called here")

    def _index(self, index: ast.expr, scope: dict[str, object]) -> object:
        if not isinstance(index, ast.Slice):
            return self._value(index, scope)
        ends = (index.lower, index.upper, index.step)
        return slice(*(None if end is None else self._value(end, scope) for end in ends))

    def _formatted(self, part: ast.expr, scope: dict[str, object]) -> str:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion != -1:
                raise Refused("such a format is not known here")
            return str(self._value(part.value, scope))
        return str(self._value(part, scope))

    def _collection(self, node: ast.expr, scope: dict[str, object]) -> object:
        if isinstance(node, ast.Dict):
            keys = [self._value(key, scope) for key in node.keys if key is not None]
            values = [self._value(value, scope) for value in node.values]
            if len(keys) != len(values):
                raise Refused("a dictionary is not spread")
            return guarded(lambda: dict(zip(keys, values, strict=True)))
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        elements = [self._value(item, scope) for item in node.elts]
        kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
        return guarded(lambda: kind(elements))

    def _comprehended(self, node: ast.expr, scope: dict[str, object]) -> object:
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp)
        inner, made = dict(scope), list[object]()

        def nested(generators: Sequence[ast.comprehension]) -> None:
            if not generators:
                one = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
                values = tuple(self._value(part, inner) for part in one)
                made.append(values if len(values) == 2 else values[0])
                return
            first = generators[0]
            for item in items(self._value(first.iter, inner)):
                self._step()
                self._assign(first.target, item, inner)
                if all(self._value(test, inner) for test in first.ifs):
                    nested(generators[1:])

        nested(node.generators)
        if isinstance(node, ast.DictComp):
            return guarded(lambda: dict(made))  # type: ignore[arg-type]
        return guarded(lambda: set(made)) if isinstance(node, ast.SetComp) else made


def _as_read(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(id=target.id, ctx=ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load())
    raise Refused("nothing is put there")
