"""Code that a model wrote is walked and never run: what it may do, and that it cannot do more."""

from __future__ import annotations

import time

import pytest

from lull.core.small_code import passes

GOOD = [
    ("def f(n):\n  return n * 2", [([2], 4), ([-1], -2)]),
    (
        "def f(n):\n  a, b = 0, 1\n  for _ in range(n):\n    a, b = b, a + b\n  return a",
        [([10], 55)],
    ),
    ("def f(s):\n  return s[::-1]", [(["abc"], "cba")]),
    (
        "def f(xs):\n  return sorted({x for x in xs if x % 2 == 0}, reverse=True)",
        [([[4, 2, 3]], [4, 2])],
    ),
    (
        "def f(s):\n  d = {}\n  for c in s:\n    d[c] = d.get(c, 0) + 1\n  return d",
        [(["aab"], {"a": 2, "b": 1})],
    ),
    ("def f(n):\n  if n <= 1:\n    return 1\n  return n * f(n - 1)", [([10], 3628800)]),
    ("def g(x):\n  return x + 1\n\ndef f(n):\n  return g(g(n))", [([1], 3)]),
    ("def f(a, b=2):\n  a += b\n  return f'{a}!'", [([1], "3!")]),
    ("def f(n):\n  while True:\n    n -= 1\n    if n < 3:\n      break\n  return n", [([9], 2)]),
    ("def f(s):\n  return ' '.join(w.capitalize() for w in s.split())", [(["a bc"], "A Bc")]),
    ("def f(x):\n  return x / 4", [([1], 0.25)]),
    ("def f(x):\n  return (x, x)", [([1], [1, 1])]),
]
BAD = [
    "def f():\n  import os\n  return 1",
    "import os\ndef f():\n  return os.getpid()",
    "def f():\n  return ().__class__.__bases__",
    "def f():\n  return open('/etc/passwd').read()",
    "def f():\n  return eval('1')",
    "def f():\n  return '{0.__class__}'.format(1)",
    "def f():\n  return '%s' % 1",
    "def f():\n  return getattr(1, 'real')",
    "def f():\n  return (lambda: 1)()",
    "@print\ndef f():\n  return 1",
    "class f:\n  pass",
    "def f():\n  global x\n  return 1",
    "def f():\n  try:\n    return 1\n  finally:\n    pass",
    "def f(:",
    "",
    "def f():\n  return 1 / 0",
    "def f():\n  return [][3]",
    "def f(n):\n  return 1",
]
ENDLESS = [
    "def f():\n  while True:\n    pass",
    "def f():\n  return f()",
    "def f():\n  return 10 ** 10 ** 10",
    "def f():\n  return 'a' * 10 ** 9",
    "def f():\n  x = 'ab'\n  while True:\n    x += x",
    "def f():\n  x = [1]\n  while True:\n    x = x + x",
    "def f():\n  x = 3\n  while True:\n    x = x * x",
    "def f():\n  return [[1 for a in range(1999)] for b in range(1999)]",
    "def f():\n  x = []\n  x.append(x)\n  return str(x) * 99",
    "def f():\n  s = 'a' * 1999\n  return s.replace('a', s)",
    "def f():\n  return " + "(" * 500 + "1" + ")" * 500,
    "def f():\n  return " + "-" * 5000 + "1",
]


@pytest.mark.parametrize(("code", "tests"), GOOD)
def test_plain_functions_give_what_they_should(
    code: str, tests: list[tuple[list[object], object]]
) -> None:
    assert passes(code, "f", tests)
    assert not passes(code, "f", [(args, "something else") for args, _ in tests])
    assert not passes(code, "g_is_not_there", tests)


@pytest.mark.parametrize("code", BAD)
def test_what_is_not_run_here_fails(code: str) -> None:
    assert not passes(code, "f", [([], 1)])


@pytest.mark.parametrize("code", ENDLESS)
def test_nothing_takes_for_ever(code: str) -> None:
    began_s = time.process_time()
    assert not passes(code, "f", [([], 1)])
    assert time.process_time() - began_s < 200


def test_a_truth_is_no_number_and_arguments_are_not_shared() -> None:
    assert not passes("def f():\n  return 1", "f", [([], True)])
    assert not passes("def f():\n  return True", "f", [([], 1)])
    mine = [3, 1]
    assert passes("def f(x):\n  x.sort()\n  return x", "f", [([mine], [1, 3]), ([mine], [1, 3])])
    assert mine == [3, 1]
