"""`python -m bench kinds`: whether a user's rule is put into the prompts of just the requests it is
about.

Each case is a rule that a person stated after a request, two later requests that should keep it
and some that it is not about. The skill is made of the user's words as Lull makes it, and the whole
path runs as for a request: the real library, its index, and `SelectSkills` for a window of 4,096
tokens; with each rule alone, with the rules of one user (ten drawn by the seed), and with all of
them in one library, which is more than its prompt has room for.
"""

import argparse
import asyncio
import hashlib
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import RESULTS, ROOT, Goal, print_goals, report, write
from lull.backends.reader.request_kinds import RequestKinds
from lull.backends.retrieval.skill_index import WordIndex
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.messages import ChatRequest, Role, text_message
from lull.core.feedback.calibration import wilson
from lull.core.feedback.feedback import Scope
from lull.core.skills.skill import EVERYBODY, Library, Skill
from lull.core.skills.skill_ranking import RetrievalRule
from lull.core.skills.stated_skill import skill_of
from lull.loops.chat.choose_skills import ChooseSkills, NoHoldout
from lull.loops.chat.select_skills import SelectSkills
from lull.resources import request_kinds_dir

CASES = ROOT / "bench" / "reader" / "held_out" / "rules_that_come_back.jsonl"
WINDOW_TOKENS = 4096
RECALL, ELSEWHERE = 0.90, 0.05
CLIENT = Client(name="bench")
MODEL = ModelFacts(digest="d" * 64, window_tokens=WINDOW_TOKENS, system="", template_sha256="")
ALONE, OF_A_USER, TOGETHER = "alone", "ten of a user", "all together"
TEN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    skill: Skill
    later: tuple[str, ...]
    """Requests whose prompts should contain the rule."""
    elsewhere: tuple[str, ...]
    """Requests that the rule is not about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    scope: Scope
    wanted: bool
    there: bool
    ms: float


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench kinds", description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES, help="JSON lines")
    parser.add_argument("--quick", action="store_true", help="the same; it takes seconds")
    parser.add_argument("--seed", type=int, default=0, help="which ten are one user's")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    rows = asyncio.run(_measure(cases_of(args.cases), args.seed))
    document = report(
        "kinds",
        rows=rows,
        goals=_goals(rows),
        seeds=[args.seed],
        packages=("bm25s", "numpy"),
        simulated=True,
    )
    path = write(document, args.out)
    for row in rows:
        print(_line(row))
    missed = print_goals(document)
    print(f"written to {path}")
    return 1 if missed and args.strict else 0


def cases_of(file: Path) -> list[Case]:
    lines = file.read_text("utf-8").splitlines()
    return [_case(number, json.loads(line)) for number, line in enumerate(lines)]


def _case(number: int, line: Mapping[str, Any]) -> Case:
    scope = Scope(line["scope"])
    text = skill_of(line["said"], scope=scope, kind_of_rule=None, asked=line["asked"])
    skill = Skill(
        client=EVERYBODY,
        name=f"{text.name[:50]}-{number}",
        version=1,
        sha256=hashlib.sha256(f"{number} {text.body}".encode()).hexdigest(),
        description=text.description,
        body=text.body,
        scope=scope,
    )
    return Case(skill=skill, later=tuple(line["later"]), elsewhere=tuple(line["elsewhere"]))


async def _measure(cases: Sequence[Case], seed: int) -> list[dict[str, Any]]:
    kinds = RequestKinds(request_kinds_dir())
    order = np.random.default_rng(seed).permutation(len(cases))
    rows = []
    for library, size in ((ALONE, 1), (OF_A_USER, TEN), (TOGETHER, len(cases))):
        tried = []
        for start in range(0, len(cases), size):
            users = [cases[at] for at in order[start : start + size]]
            tried += await _tried(users, kinds)
        for scope in (None, Scope.KIND, Scope.ALL):
            rows.append(_row(library, scope, [t for t in tried if scope in (None, t.scope)]))
    return rows


async def _tried(cases: Sequence[Case], kinds: RequestKinds) -> list[Tried]:
    """Ask every request of each case with all cases' skills in one library."""
    library = Library(1, {case.skill.key: case.skill for case in cases})
    index = WordIndex()
    await index.use_kinds(kinds)
    await index.follow(library)
    choosing = ChooseSkills(index, RetrievalRule(), rates={}, uses={}, holdout=NoHoldout())
    fixing = SelectSkills(choosing, places={})
    found = []
    for case in cases:
        for text in (*case.later, *case.elsewhere):
            began = time.perf_counter()
            chosen = fixing.skills_for_new_chat(_request(text), CLIENT, library, MODEL)
            took_ms = (time.perf_counter() - began) * 1e3
            found.append(
                Tried(
                    scope=case.skill.scope,
                    wanted=text in case.later,
                    there=case.skill in chosen,
                    ms=took_ms,
                )
            )
    return found


def _request(text: str) -> ChatRequest:
    return ChatRequest(model="bench", messages=(text_message(Role.USER, text),), stream=False)


def _row(library: str, scope: Scope | None, tried: Sequence[Tried]) -> dict[str, Any]:
    later = [one.there for one in tried if one.wanted]
    elsewhere = [one.there for one in tried if not one.wanted]
    recall, wrong = wilson(sum(later), len(later)), wilson(sum(elsewhere), len(elsewhere))
    return {
        "library": library,
        "scope": scope.value if scope else "both",
        "later_n": len(later),
        "recall": recall.value if later else None,
        "recall_low": recall.low if later else None,
        "recall_high": recall.high if later else None,
        "elsewhere_n": len(elsewhere),
        "elsewhere": wrong.value if elsewhere else None,
        "elsewhere_low": wrong.low if elsewhere else None,
        "elsewhere_high": wrong.high if elsewhere else None,
        "ms_p50": statistics.median(one.ms for one in tried) if tried else 0.0,
    }


def _goals(rows: Sequence[Mapping[str, Any]]) -> list[Goal]:
    goals = []
    for row in rows:
        if row["scope"] != "both":
            continue
        where = row["library"]
        goals += [
            Goal(
                goal=f"later requests that have the rule, {where} (n = {row['later_n']})",
                value=row["recall"],
                limit=RECALL,
                at_most=False,
            ),
            Goal(
                goal=f"other requests that have it, {where} (n = {row['elsewhere_n']})",
                value=row["elsewhere"],
                limit=ELSEWHERE,
            ),
        ]
    return goals


def _line(row: Mapping[str, Any]) -> str:
    return (
        f"{row['library']:14}{row['scope']:6}later {_share(row, 'recall', 'later_n')};"
        f" elsewhere {_share(row, 'elsewhere', 'elsewhere_n')}; {row['ms_p50']:.2f} ms"
    )


def _share(row: Mapping[str, Any], name: str, count: str) -> str:
    if not row[count]:
        return "–"
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.3f} [{low:.3f}, {high:.3f}] of {row[count]}"
