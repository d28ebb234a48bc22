"""Tests of the fences: what the rules of core and the walks of loops may reach outside of Lull."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.fence import CORE, LOOPS, Fence, breaches

APP = Path(__file__).parents[2] / "app" / "lull"


@pytest.mark.parametrize(("floor", "fence"), [("core", CORE), ("loops", LOOPS)])
def test_no_file_of_a_floor_reaches_past_its_fence(floor: str, fence: Fence) -> None:
    files = sorted((APP / floor).rglob("*.py"))
    found = {str(file): breaches(file.read_text("utf-8"), fence) for file in files}
    assert len(files) > 50
    assert {file: lines for file, lines in found.items() if lines} == {}


WORLD = [
    "import socket",
    "import subprocess",
    "import sqlite3, os",
    "import time",
    "import time as t",
    "from time import time as now",
    "import httpx",
    "import numpy",
    "import urllib.request",
    "from urllib import request",
    "from . import sibling",
    "from collections import *",
    "import importlib",
    "def late():\n    import socket",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import socket",
    "__import__('socket')",
    "__builtins__['open']('/etc/passwd')",
    "open('/etc/passwd').read()",
    "run = open",
    "input()",
    "print('said')",
    "eval('1')",
    "from datetime import datetime as dt\ndt.now()",
    "import datetime\ndatetime.datetime.now(datetime.UTC)",
    "from datetime import date\ntoday = date.today",
    "at.astimezone()",
    "import random\nrandom.choice([1, 2])",
    "import random as chance\nchance.random()",
    "from random import choice",
    "from random import Random\nRandom()",
    "import random\nrandom.Random().random()",
    "import re\nre.enum.sys.exit()",
    "import re\nown = re",
    "from pathlib import Path\nPath.home()",
    "folder.exists()",
    "read = folder.read_text",
    "getattr(folder, 'read_text')()",
    "folder.open()",
]
"""Lines that reach the world, each by another way."""
ONLY_IN_CORE = [
    "import asyncio",
    "import logging",
    "import threading",
    "from lull.loops.chat.open_turn import TurnOpener",
    "import lull.store.chat.trajectories",
    "async  def answer(): ...",
    "async def answer():\n    await other()",
    "class Own:\n    async def answer(self): ...",
    "class Port(Protocol):\n    async def answer(self):\n        return 1",
    "clock.now()",
    "clock.monotonic_s()",
    "type(at).now(zone)",
    "NormalDist().samples(3)",
]
"""Lines that loops may hold and core may not."""
ONLY_IN_LOOPS = [
    "import asyncio\nasyncio.open_connection('localhost', 80)",
    "import asyncio.subprocess",
    "from asyncio import create_subprocess_exec",
    "import asyncio\nasyncio.subprocess.create_subprocess_exec('ls')",
    "import logging\nlogging.FileHandler('log')",
    "import threading\nthreading.Thread(target=run).start()",
    "import tomllib",
]
"""Lines that no walk may hold, though the modules they name are allowed there, or in core."""
FINE = [
    "from lull.core.errors import LullError",
    "import json\njson.loads('1')",
    "import random\nchance = random.Random('seed').random()",
    "from datetime import UTC, datetime\ndatetime(2026, 1, 1, tzinfo=UTC).astimezone(UTC)",
    "from pathlib import Path\nname = Path('a').name.replace('a', 'b')",
    "class Rule:\n    open: bool = False\n\n    def read(self):\n        return self.open",
    "class Port(Protocol):\n    async def answer(self) -> str:\n        '''Answer.'''",
    "import re\nre.search('a', 'b').group()",
]
"""Lines of rules."""


@pytest.mark.parametrize("source", WORLD + ONLY_IN_CORE)
def test_what_core_must_not_reach_is_noticed(source: str) -> None:
    assert breaches(source, CORE) != []


@pytest.mark.parametrize("source", WORLD + ONLY_IN_LOOPS)
def test_what_loops_must_not_reach_is_noticed(source: str) -> None:
    assert breaches(source, LOOPS) != []


@pytest.mark.parametrize("source", FINE)
def test_what_rules_are_made_of_is_let_through(source: str) -> None:
    assert breaches(source, CORE) == []


@pytest.mark.parametrize("source", [*ONLY_IN_CORE[:3], "clock.now()", "async def run(): ..."])
def test_what_walks_are_made_of_is_let_through(source: str) -> None:
    assert breaches(source, LOOPS) == []
