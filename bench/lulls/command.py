"""`python -m bench lulls`: simulates a year of several people against the real idle policy and
loop.

A share is of all seconds in which nobody was at the machine and nothing of its own stood in the
way, in stretches of five minutes or more, from the moment somebody left: the waits that the user
set are not taken off. Beside somebody who sits still and touches nothing, Lull works for the
minutes a day that the table says; answers are those beside whose reader it began to work. Intervals
are by resampling weeks. Beside Lull runs MetaClaw's policy.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from bench.lulls import metaclaw
from bench.lulls.measures import LEAST_S, row, share, short_of_all, weekly
from bench.lulls.people import PEOPLE, Person
from bench.lulls.plot import draw_week
from bench.lulls.simulation import SUSPENDS_S, Played, play
from bench.lulls.spans import by_length
from bench.lulls.world import World, lived
from bench.report import RESULTS, Goal, print_goals, report, write

DAYS: Final = 365
QUICK_DAYS: Final = 21
LULL, METACLAW = "Lull", "MetaClaw's policy"

Row = dict[str, Any]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench lulls", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three weeks: a look, not a result")
    parser.add_argument("--days", type=int, help="of each year, instead of all of it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1, help="years of each person")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="years at once")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    seeds = [args.seed + n for n in range(args.seeds)]
    days = args.days or (QUICK_DAYS if args.quick else DAYS)
    document = measure(days=days, seeds=seeds, out=args.out, at_once=args.jobs)
    path = write(document, args.out)
    print_table(document["rows"])
    missed = print_goals(document)
    print(f"written to {path} and {args.out / 'lulls.png'}")
    return 1 if missed and args.strict else 0


@dataclass(frozen=True, kw_only=True)
class _Year:
    person: Person
    seed: int
    days: int
    picture: Path | None
    """Where a week of it is drawn."""


@dataclass(frozen=True, kw_only=True)
class _Lived:
    rows: list[Row]
    weeks: dict[str, list[tuple[float, float]]]
    took_s: float


def measure(*, days: int, seeds: Sequence[int], out: Path, at_once: int) -> Row:
    years = [
        _Year(
            person=person,
            seed=seed,
            days=days,
            picture=out / "lulls.png" if (person, seed) == (PEOPLE[1], seeds[0]) else None,
        )
        for seed in seeds
        for person in PEOPLE
    ]
    out.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    weeks: dict[str, list[tuple[float, float]]] = {LULL: [], METACLAW: []}
    with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
        for year, lived_ in zip(years, pool.map(_live, years), strict=True):
            rows += lived_.rows
            for policy, parts in lived_.weeks.items():
                weeks[policy] += parts
            print(f"{year.person.name}, {year.seed}: {lived_.took_s:.0f} s", file=sys.stderr)
    totals = [
        _total(policy, parts, seeds[0])
        | short_of_all([one for one in rows if one["policy"] == policy])
        for policy, parts in weeks.items()
    ]
    document = report(
        "lulls",
        rows=[*totals, *rows],
        goals=goals(totals, rows),
        seeds=seeds,
        packages=("psutil",),
        simulated=True,
    )
    document["assumed"] = {
        "work_stops_within_s": SUSPENDS_S,
        "why": "drawn, not measured: how long real work takes to stop is measured on a real child",
    }
    return document


def _live(year: _Year) -> _Lived:
    """Run one year under both policies, in a process of its own."""
    began = time.monotonic()
    world = lived(year.person, seed=year.seed, days=year.days)
    played, peer = _played(world, year.seed), metaclaw.running(world)
    usable = by_length(world.usable(), least=LEAST_S)
    both = ((LULL, played.running), (METACLAW, peer))
    if year.picture is not None:
        week = min(9, year.days // 7 - 1)
        draw_week(world, played.running, peer, usable, week=week, path=year.picture)
    return _Lived(
        rows=[
            row(policy, world, running, seed=year.seed) | _work(policy, played)
            for policy, running in both
        ],
        weeks={policy: weekly(running, usable, world.length_s) for policy, running in both},
        took_s=time.monotonic() - began,
    )


def _played(world: World, seed: int) -> Played:
    with tempfile.TemporaryDirectory() as folder:
        return play(world, Path(folder), seed=seed)


def _work(policy: str, played: Played) -> Row:
    if policy != LULL:
        return {}
    return {
        "windows": len(played.windows),
        "units": played.units,
        "lost_steps": played.lost_steps,
        "redone_s": played.redone_s,
        "most_at_once": played.most_at_once,
    }


def _total(policy: str, parts: Sequence[tuple[float, float]], seed: int) -> Row:
    found = share(parts, seed=seed)
    return {
        "policy": policy,
        "person": "all",
        "used_share": found.value,
        "low": found.low,
        "high": found.high,
        "weeks": found.n,
    }


def goals(totals: Sequence[Row], rows: Sequence[Row]) -> list[Goal]:
    own = [one for one in rows if one["policy"] == LULL]
    return [
        Goal(
            goal="share of usable idle seconds used, all people (simulated)",
            value=next(one["used_share"] for one in totals if one["policy"] == LULL),
            limit=0.9,
            at_most=False,
        ),
        Goal(
            goal="the same, worst person",
            value=min(one["used_share"] for one in own),
            limit=0.9,
            at_most=False,
        ),
        *_short_goals(totals, own),
        Goal(
            goal=f"longest overlap with a present user in s, of {sum(r['overlaps'] for r in own)}",
            value=max(one["overlap_most_s"] for one in own),
            limit=0.25,
        ),
        Goal(
            goal=f"share of answers beside whose reader work began, of "
            f"{sum(r['answers_read'] for r in own)}",
            value=sum(r["answers_begun_beside"] for r in own)
            / max(1, sum(r["answers_read"] for r in own)),
            limit=0.01,
        ),
        Goal(goal="steps lost", value=sum(one["lost_steps"] for one in own), limit=0),
        Goal(goal="units at once", value=max(one["most_at_once"] for one in own), limit=1),
    ]


def _short_goals(totals: Sequence[Row], own: Sequence[Row]) -> list[Goal]:
    """Return the goals for windows of 5 to 15 minutes, which nights would hide."""
    found = [one for one in totals if one["policy"] == LULL and one["short_n"]]
    shares = [one["short_used_share"] for one in own if one["short_n"]]
    return [
        Goal(goal=goal, value=value, limit=limit, at_most=False)
        for one in found
        for goal, value, limit in (
            (
                f"share used of windows of 5 to 15 minutes, all people (n = {one['short_n']})",
                one["short_used_share"],
                0.8,
            ),
            ("the same, worst person", min(shares), 0.7),
        )
    ]


def _short(one: Row) -> str:
    share_ = one["short_used_share"]
    return "none" if share_ is None else f"{share_:.1%} of {one['short_n']}"


def print_table(rows: Sequence[Row]) -> None:
    print("simulated; share of usable idle seconds used [95 % interval by weeks]")
    print(f"{'policy':18} {'person':15} {'used':>24} {'of 5–15 min alone':>18}", end="")
    print(f" {'overlaps':>9} {'longest s':>10}", end="")
    print(f" {'total h':>8} {'still, min a day':>17} {'answers':>12}", end="")
    print(f" {'hot, battery, memory h':>23}")
    for one in rows:
        used = f"{one['used_share']:.1%} [{one['low']:.1%}, {one['high']:.1%}]"
        print(f"{one['policy']:18} {one['person']:15} {used:>24} {_short(one):>18}", end="")
        if "overlaps" in one:
            print(f" {one['overlaps']:>9} {one['overlap_most_s']:>10.3f}", end="")
            print(f" {one['overlap_total_h']:>8.2f}", end="")
            print(f" {one['beside_a_still_reader_min_per_day']:>17.1f}", end="")
            answers = f"{one['answers_begun_beside']} of {one['answers_read']}"
            print(f" {answers:>12}", end="")
            print(f" {one['against_the_machine_h']:>23.1f}", end="")
        print()
    print("\nby length of the stretch: share used (behind the first ten minutes)")
    for one in rows:
        for part in one.get("used_by_length", ()):
            if part["used_share"] is not None:
                to = f"{part['to_s'] / 60:.0f}" if part["to_s"] else "∞"
                behind = part["after_wait_share"]
                tail = f" ({behind:.1%})" if behind is not None else ""
                name = f"{one['policy']:18} {one['person']:15} {part['from_s'] / 60:.0f}–{to} min"
                print(f"{name:46} n {part['n']:5} {part['hours']:7.0f} h", end="")
                print(f" {part['used_share']:.1%}{tail}")
