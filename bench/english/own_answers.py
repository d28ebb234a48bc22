"""The base model's own answers to our questions, sampled once and kept as JSON lines.

What is trained later is these answers, changed so that they keep a rule: nothing in them is anybody
else's. Seeded; a run that was cut off goes on behind its last whole batch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.english.texts.questions import FOLLOW_UPS, TALK, drawn

if TYPE_CHECKING:  # it loads a tokenizer, which whoever only reads answers does not need
    from bench.english.model.tokens import Speaker

AT_ONCE: Final = 96
"""Number of answers that are sampled side by side."""
MOST_TOKENS: Final = 80
"""Longest sampled answer; the small model goes on for hundreds if it is let."""
TEMPERATURE: Final = 0.2
FOLLOWED: Final = 6
"""Of so many conversations one goes on with a second question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAnswer:
    """A conversation that ends with a question, and the model's own answer to it."""

    asked: tuple[str, ...]
    """What was said in turns, the user first; the last is the question."""
    answer: str
    ended: bool
    """Whether the model ended the answer; else it was cut off."""
    kind: str


def sample(small: Speaker, count: int, file: Path, *, seed: int) -> list[OwnAnswer]:
    """Sample answers to `count` questions and some follow-ups, or go on with the file.

    A file of another seed or count is refused with a ValueError.
    """
    first = [
        OwnAnswer(asked=(one.text,), answer="", ended=False, kind=one.kind)
        for one in drawn(count, seed, held=False)
    ]
    found = _there(file, first)
    wanted = len(first) + len(_following(first, [""] * len(first)))
    began_s, had = time.monotonic(), len(found)
    file.parent.mkdir(parents=True, exist_ok=True)
    while len(found) < wanted:
        ahead = first if len(found) < len(first) else _after(first, found)
        batch = ahead[len(found) : len(found) + AT_ONCE]
        told = small.answers(
            [messages_of(one.asked) for one in batch],
            most=MOST_TOKENS,
            temperature=TEMPERATURE,
            seed=seed * 100_000 + len(found),
        )
        new = [
            OwnAnswer(asked=one.asked, answer=said.text, ended=said.ended, kind=one.kind)
            for one, said in zip(batch, told, strict=True)
        ]
        found += new
        with file.open("a", encoding="utf-8") as stream:
            stream.writelines(json.dumps(asdict(one)) + "\n" for one in new)
        each_s = (time.monotonic() - began_s) / (len(found) - had)
        left = (wanted - len(found)) * each_s / 60
        print(f"own answers: {len(found)} of {wanted}, {left:.1f} min left", flush=True)
    return found


def messages_of(asked: Sequence[str]) -> list[dict[str, str]]:
    """Return turns as chat messages, the user's first."""
    return [
        {"role": "assistant" if number % 2 else "user", "content": text}
        for number, text in enumerate(asked)
    ]


def read(file: Path) -> list[OwnAnswer]:
    return list(_rows(file.read_text("utf-8")))


def _rows(text: str) -> Iterator[OwnAnswer]:
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):  # else it was cut off while it was written
            row = json.loads(line)
            yield OwnAnswer(**{**row, "asked": tuple(row["asked"])})


def _there(file: Path, first: Sequence[OwnAnswer]) -> list[OwnAnswer]:
    """Return what an earlier run left; only whole batches count, so that chance goes on alike."""
    if not file.exists():
        return []
    found = read(file)
    if any(a.asked != b.asked for a, b in zip(found, first, strict=False)):
        raise ValueError(
            f"{file} holds answers of another seed or count; remove it or name another"
        )
    done = len(first) + len(_following(first, [""] * len(first)))
    if len(found) < done:
        whole = len(found) if len(found) == len(first) else _whole(len(found), len(first))
        found = found[:whole]
        file.write_text("".join(json.dumps(asdict(one)) + "\n" for one in found), "utf-8")
    return found


def _whole(count: int, first: int) -> int:
    """Return how many of `count` answers lie in whole batches; a batch never spans both rounds."""
    if count < first:
        return count - count % AT_ONCE
    return first + (count - first) // AT_ONCE * AT_ONCE


def _after(first: Sequence[OwnAnswer], found: Sequence[OwnAnswer]) -> list[OwnAnswer]:
    return [*first, *_following(first, [one.answer for one in found[: len(first)]])]


def _following(first: Sequence[OwnAnswer], answers: Sequence[str]) -> list[OwnAnswer]:
    """Return second questions after some of the answers."""
    said = FOLLOW_UPS[:-2]
    going_on = [n for n, one in enumerate(first) if one.kind != TALK][::FOLLOWED]
    return [
        OwnAnswer(
            asked=(*first[n].asked, answers[n], said[place % len(said)]),
            answer="",
            ended=False,
            kind=first[n].kind,
        )
        for place, n in enumerate(going_on)
    ]
