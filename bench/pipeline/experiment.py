"""Runs an experiment that a model wrote, in a restricted process of its own.

Only plain Python goes through: no import but math and random, no name or attribute outside two
short lists, so that nothing leads to files, processes or the net. The process has limits besides.
"""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

LONGEST_CODE: Final = 6_000
PATIENCE_S: Final = 30.0
IMPORTS: Final = frozenset({"math", "random"})
_NAMES = """
abs all any bool dict divmod enumerate filter float int isinstance len list map max min next range
reversed round set sorted str sum tuple zip True False None ValueError math random
"""
_ATTRIBUTES = """
Random random randint randrange choice shuffle sample uniform gauss seed getrandbits
sqrt log log2 exp floor ceil pi inf sin cos append extend insert pop remove index count sort
reverse copy clear add discard update get items keys values setdefault union
"""
NAMES: Final = frozenset(_NAMES.split())
ATTRIBUTES: Final = frozenset(_ATTRIBUTES.split())
_FORBIDDEN: Final = (
    ast.AsyncFunctionDef,
    ast.Await,
    ast.ClassDef,
    ast.Global,
    ast.Nonlocal,
    ast.ImportFrom,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.Delete,
    ast.JoinedStr,
)
_HOUSE: Final = """
import builtins, json, math, random, resource, sys
for limit, most in (("CPU", 20), ("FSIZE", 0), ("AS", 1 << 30)):
    try:
        resource.setrlimit(getattr(resource, "RLIMIT_" + limit), (most, most))
    except (ValueError, OSError):
        pass  # not every system has every limit
asked = json.load(sys.stdin)
own = {name: getattr(builtins, name) for name in asked["names"] if hasattr(builtins, name)}
own["__import__"] = lambda name, *rest: {"math": math, "random": random}[name]
house = {"__name__": "experiment", "__builtins__": own}
exec(compile(asked["code"], "experiment.py", "exec"), house)
values = [[arm, seed, house["experiment"](arm, seed)] for arm, seed in asked["cells"]]
print(json.dumps(values))
"""


class Broken(Exception):
    """Raised when the experiment did not run; the message is for its author."""


def problems(code: str) -> list[str]:
    """Return the reasons why this code may not be run; empty if it may."""
    if len(code) > LONGEST_CODE:
        return [f"the code has more than {LONGEST_CODE} characters."]
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"the code cannot be read as Python: {getattr(error, 'msg', error)}."]
    wrong = list(dict.fromkeys(_walls(tree)))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    found = next((one for one in functions if one.name == "experiment"), None)
    if found is None or [arg.arg for arg in found.args.args] != ["arm", "seed"]:
        wrong.append("there is no function experiment(arm, seed).")
    return wrong


def _walls(tree: ast.Module) -> Iterator[str]:
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            if not names <= IMPORTS or any(alias.asname for alias in node.names):
                yield "only math and random may be imported."
        elif isinstance(node, ast.Attribute) and node.attr not in ATTRIBUTES:
            yield f"{node.attr} is not allowed here."
        elif isinstance(node, ast.Name) and (node.id[:2] == "__" or node.id not in NAMES | own):
            yield f"{node.id} is not allowed here."
        elif isinstance(node, _FORBIDDEN):
            yield f"{type(node).__name__} is not allowed here."


def measured(code: str, arms: Sequence[str], seeds: Sequence[int]) -> list[tuple[str, int, float]]:
    """Run the experiment and return one number per arm and seed, in that order. Raises Broken."""
    if wrong := problems(code):
        raise Broken(" ".join(wrong))
    cells = [(arm, seed) for arm in arms for seed in seeds]
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _HOUSE],
            input=json.dumps({"code": code, "cells": cells, "names": sorted(NAMES)}),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Broken(f"the code ran for more than {PATIENCE_S:g} s.") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise Broken(f"the code stopped with {last[:200]}.")
    return [_value(*cell) for cell in json.loads(done.stdout)]


def _value(arm: str, seed: int, value: Any) -> tuple[str, int, float]:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not math.isfinite(value):
        raise Broken(f"experiment({arm!r}, {seed}) gave {value!r} and no number.")
    return arm, seed, float(value)
