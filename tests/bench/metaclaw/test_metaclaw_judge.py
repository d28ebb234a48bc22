"""Tests of the scripted judge: it sees what stands in a file, not only where the file lies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from bench.metaclaw_bench.student_jobs import Rules, Work
from bench.metaclaw_bench.student_mind import JUDGE, Mind

ASKED = "Save a record of the meeting in record.json."
PATH = "record.json"
SPOKEN = json.dumps({"held_at": "half past nine"}, indent=1)
EXACT = json.dumps({"held_at": "2026-03-16T09:30:00+08:00"}, indent=1)


@dataclass(frozen=True)
class OneFile:
    """A job whose file lies at the same place with and without the rule (implements Job)."""

    question: str = ASKED
    right: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()

    def reads(self, _: frozenset[str]) -> tuple[str, ...]:
        return ()

    def does(self, known: frozenset[str], _: Mapping[str, str | None]) -> Work:
        return Work(writes=((PATH, EXACT if known else SPOKEN),), says="That is done.")


def score(content: str) -> int:
    call = f"[calls the tool write_file with {json.dumps({'path': PATH, 'content': content})}]"
    shown = {
        "what the user said they want": "Times must be exact.",
        "the conversation": ASKED,
        "the answer": call,
    }
    code = "0123456789ab"
    text = "\n".join(
        f"<<<{label} {code}>>>\n{said}\n<<<end of {label} {code}>>>"
        for label, said in shown.items()
    )
    mind = Mind(rules=Rules(patterns={"P1": "exact"}), jobs=(OneFile(),))
    said = mind.answers({"model": JUDGE, "messages": [{"role": "user", "content": text}]})
    verdict: int = json.loads(said.text)["score"]
    return verdict


@pytest.mark.parametrize(("content", "verdict"), [(EXACT, 1), (SPOKEN, -1)])
def test_a_file_that_breaks_a_rule_about_its_content_is_no_good_answer(
    content: str, verdict: int
) -> None:
    assert score(content) == verdict
