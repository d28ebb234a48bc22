"""Plays the topics of one seed under one condition, one after the other, continuing a killed run.

A course has a house, an order of topics and, behind Lull, a home of its own: what a run has taught
is there in the next, once the night between has proved and approved it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.json_object import Json
from bench.models.endpoint import Endpoint
from bench.pipeline.house import house
from bench.pipeline.run import Ran, run
from bench.pipeline.topics import Topic, topics
from bench.through_lull.conditions import Condition, Upstream, learn
from bench.through_lull.going_on import append_line, behind, forget_before, keep, read_lines
from bench.through_lull.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One finished run with its seed, condition and place in the series."""

    seed: int
    condition: Condition
    position: int
    """Position of the run in its series, from 1."""
    ran: Ran
    told: int
    """Number of conventions present in the stages' first prompts; counted only with the scripted
    student.
    """
    night: Json

    def to_json(self) -> Json:
        ran = self.ran.to_json() | {"composite": self.ran.composite}
        return {
            "seed": self.seed,
            "condition": self.condition.value,
            "position": self.position,
            "told": self.told,
            **ran,
        }


def order(seed: int, count: int) -> list[Topic]:
    """Return this seed's topics in random order; a sample if `count` is less than all."""
    return random.Random(f"topics {seed}").sample(topics(), count)


def course(
    seed: int,
    condition: Condition,
    count: int,
    endpoint: Endpoint,
    upstream: Upstream,
    folder: Path,
    *,
    progress: Progress,
    told: Callable[[], int] = lambda: 0,
) -> list[Played]:
    """Play the runs of a series, continuing from those saved in `folder`; `told` returns how many
    conventions were told so far.

    Raises LullFailed, OSError.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    journal = folder / "runs.jsonl"
    played = [_read(line, seed, condition) for line in read_lines(journal)]
    progress.skip(len(played))
    rules = house(seed)
    asked = replace(endpoint, seed=seed)
    for number, topic in enumerate(order(seed, count)):
        if number < len(played):
            continue
        before = told()
        with behind(condition, asked, upstream, folder, number) as (model, service):
            ran = run(topic, rules, model)
            heard = told() - before
            night = learn(service, condition) if service and condition.learns else {}
        keep(service, folder, number)
        one = Played(
            seed=seed,
            condition=condition,
            position=number + 1,
            ran=ran,
            told=heard,
            night=night,
        )
        line = {"position": number + 1, "ran": ran.to_json(), "told": heard, "night": night}
        append_line(journal, line)
        forget_before(folder, number)
        played.append(one)
        progress.step(_words(one))
    return played


def _read(line: Json, seed: int, condition: Condition) -> Played:
    return Played(
        seed=seed,
        condition=condition,
        position=line["position"],
        ran=Ran(**line["ran"]),
        told=line["told"],
        night=line["night"],
    )


def _words(one: Played) -> str:
    ran = one.ran
    ended = f" ({ran.ended[:80]})" if ran.ended else ""
    return (
        f"seed {one.seed} {one.condition} run {one.position} {ran.topic}: {ran.completed}/12"
        f" stages, {ran.retries} retries, {ran.cycles} cycles{ended}"
    )


def of(played: Sequence[Played], condition: Condition) -> list[Played]:
    return [one for one in played if one.condition is condition]
