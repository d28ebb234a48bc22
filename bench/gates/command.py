"""`python -m bench gates`: which simulated useless, harmful and good skills each acceptance rule
accepts.

Every skill's true effect is known here. A share is shown with its 95 % interval (Wilson) and n;
where all pairs are alike, the exact share stands beside it, from a program of its own.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.gates import rules
from bench.gates.exact import Exact, ends, kept_by_neither, won_and_lost
from bench.gates.worlds import (
    JUDGES,
    PERFECT,
    ROUGH,
    VOTING,
    Drawn,
    Judge,
    Kind,
    Scored,
    World,
    drifting,
    fixed,
    homogeneous,
    replayed,
    reshuffled,
    schedule,
    signs,
)
from bench.report import RESULTS, Goal, print_goals, report, write
from lull.core.feedback.calibration import wilson

Row = dict[str, Any]
Rule = Callable[[Scored, Scored | None], rules.Result]
OWN = "Lull"
SKILLS = 10_000
QUICK = 4_000

PEERS: dict[str, Rule] = {
    "SkillClaw": rules.skillclaw,
    "MetaClaw": rules.metaclaw,
    **{
        f"SkillOpt-Sleep n={n}": (lambda benefit, _success, n=n: rules.skillopt(benefit, n))
        for n in (5, 10, 20, 40)
    },
}


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench gates", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer skills: a look, not a proof")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    document = measure(quick=args.quick, seed=args.seed)
    path = write(document, args.out)
    print_table(document["rows"])
    missed = print_goals(document)
    print(f"written to {path}")
    return 1 if missed and args.strict else 0


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    n = QUICK if quick else SKILLS
    rows = [row for world in worlds() for row in _rows(world, n, seed)]
    return report(
        "gates",
        rows=rows,
        goals=goals(rows),
        seeds=[seed],
        packages=("numpy",),
        simulated=True,
    )


def worlds() -> Iterator[World]:
    """Yield every kind of skill that is simulated, the simplest ones first."""
    yield from _plain()
    yield from _unlike_requests()
    yield from _few_requests()
    yield from _with_past_successes()


def _plain() -> Iterator[World]:
    for p in (0.2, 0.4, 0.5, 0.6, 0.8):
        yield _alike(p, p, Kind.NULL)
    yield _alike(0.5, 0.5, Kind.NULL, same_dice=0.6)
    for before, after in ((0.9, 0.8), (0.8, 0.65), (0.7, 0.5), (0.6, 0.3)):
        yield _alike(before, after, Kind.HARMFUL)
    for before in (0.1, 0.3, 0.35, 0.4, 0.5, 0.6):
        yield _alike(before, before + 0.3, Kind.GOOD)
    yield _alike(0.4, 0.7, Kind.GOOD, same_dice=0.6)
    yield _alike(0.3, 0.9, Kind.GOOD)
    yield _alike(0.4, 0.55, Kind.GOOD)


def _alike(before: float, after: float, kind: Kind, *, same_dice: float = 0.0) -> World:
    """A skill that has the same effect on every request."""
    return World(
        name=f"{before:g} → {after:g}{', seeds shared' if same_dice else ''}",
        kind=kind,
        benefit=homogeneous(before, after),
        same_dice=same_dice,
        thirty=round(after - before, 9) == 0.3,
        rates=(before, after),
    )


def _unlike_requests() -> Iterator[World]:
    """Yield skills that help some requests and harm others, so that they are useless on average."""
    for count in (2, 4, 10, 30):
        half = [0.9, 0.1] * (count // 2)
        yield World(
            name=f"{count} requests, half +40 half -40",
            kind=Kind.NULL,
            benefit=fixed([0.5] * count, half),
        )
    yield World(
        name="10 requests, one +90, nine -10",
        kind=Kind.NULL,
        benefit=fixed([0.05] + [0.5] * 9, [0.95] + [0.4] * 9),
    )
    yield World(
        name="10 requests, one -90, nine +10",
        kind=Kind.NULL,
        benefit=fixed([0.95] + [0.5] * 9, [0.05] + [0.6] * 9),
    )
    yield World(name="ever harder requests", kind=Kind.NULL, benefit=drifting(0.2, 0.8))


def _few_requests() -> Iterator[World]:
    for count in (1, 2, 3, 5):
        yield World(
            name=f"{count} request{'s' * (count > 1)}, 0.4 → 0.7",
            kind=Kind.GOOD,
            benefit=fixed([0.4] * count, [0.7] * count),
        )
    for count in (1, 3, 5, 10, 30):
        yield World(
            name=f"{count} request{'s' * (count > 1)}, ±40 by chance",
            kind=Kind.MIXED,
            benefit=signs(count, 0.4),
        )


def _with_past_successes() -> Iterator[World]:
    """Yield skills that are also replayed on past successes, which shows harm that failures alone
    hide.
    """
    stay = homogeneous(0.95, 0.95)
    for before in (0.3, 0.4, 0.5):
        yield World(
            name=f"{before:g} → {before + 0.3:g}, successes stay",
            kind=Kind.GOOD,
            benefit=homogeneous(before, before + 0.3),
            success=stay,
        )
    for after in (0.4, 0.6, 0.75):
        yield World(
            name=f"0.2 → 0.8, successes 0.95 → {after:g}",
            kind=Kind.MIXED,
            benefit=homogeneous(0.2, 0.8),
            success=homogeneous(0.95, after),
        )
    failed: list[bool | None] = [False] * 5
    unpicked: list[bool | None] = [None] * 5
    right: list[bool | None] = [True] * 5
    for spread in (0.2, 1.0):
        name = f"other dice ({spread:g}), on 5 failures"
        alone = reshuffled(failed, spread)
        both = reshuffled(failed + unpicked, spread)
        good = reshuffled(right, spread)
        yield World(name=name, kind=Kind.MIXED, benefit=alone)
        yield World(name=f"{name}, 5 siblings", kind=Kind.MIXED, benefit=both, failures=5)
        yield World(name=f"{name}, 5 successes", kind=Kind.MIXED, benefit=alone, success=good)
        yield World(
            name=f"{name}, 5 siblings, 5 successes",
            kind=Kind.MIXED,
            benefit=both,
            success=good,
            failures=5,
        )


def _rows(world: World, n: int, seed: int) -> Iterator[Row]:
    for judge in JUDGES:
        rng = np.random.default_rng([seed, *world.name.encode(), *judge.name.encode()])
        benefit = _scored(rng, world, world.benefit, n, judge, successes=False)
        success = None
        if world.success is not None:
            success = _scored(rng, world, world.success, n, judge, successes=True)
        coins = rng.random(n)
        yield _row(OWN, world, judge, rules.lull(benefit, success, coins), _exactly(world, judge))
        for name, rule in PEERS.items():
            yield _row(name, world, judge, rule(benefit, success), None)


def _exactly(world: World, judge: Judge) -> Exact | None:
    if world.rates is None:
        return None
    neither = kept_by_neither(*world.rates, judge, same_dice=world.same_dice)
    return ends(*won_and_lost(*world.rates, judge, same_dice=world.same_dice), neither=neither)


def _scored(
    rng: np.random.Generator, world: World, drawn: Drawn, n: int, judge: Judge, *, successes: bool
) -> Scored:
    draw = drawn(rng, n)
    failures = None if successes else world.failures
    order = schedule(draw.without.shape[1], failures=failures, successes=successes)
    return replayed(rng, draw, order, judge, same_dice=world.same_dice)


def _row(name: str, world: World, judge: Judge, result: rules.Result, exact: Exact | None) -> Row:
    share = wilson(int(result.accepted.sum()), len(result.accepted))
    used = result.pairs[result.accepted]
    return {
        "rule": name,
        "skill": world.name,
        "kind": world.kind.value,
        "judge": judge.name,
        "calls_good_good": round(judge.calls_good, 4),
        "calls_bad_bad": round(judge.calls_bad, 4),
        "thirty_points": world.thirty,
        "past_successes": world.success is not None,
        "n": share.n,
        "accepted": share.value,
        "low": share.low,
        "high": share.high,
        "exact": exact.accepted if exact else None,
        "by_last_look": float(result.last_look.mean()),
        "called_harmful": float(result.harmful.mean()),
        "median_pairs_accepted": float(np.median(used)) if len(used) else None,
        "median_pairs": float(np.median(result.pairs)),
        "most_pairs": int(result.pairs.max()),
    }


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Return the goals for Lull's own rule; each is measured on the worst of its rows."""
    own = [row for row in rows if row["rule"] == OWN]
    useless = [row for row in own if row["kind"] == Kind.NULL]
    harmful = [row for row in own if row["kind"] == Kind.HARMFUL]
    thirty = [row for row in own if row["thirty_points"]]
    perfect = [row for row in thirty if row["judge"] == PERFECT.name]
    return [
        Goal(
            goal=f"useless skills accepted, worst of {len(useless)} rows of {useless[0]['n']}",
            value=max(row["accepted"] for row in useless),
            limit=0.05,
        ),
        Goal(
            goal="useless skills accepted, exactly, whatever share of pairs differs",
            value=max(ends(d / 200, d / 200).accepted for d in range(1, 101)),
            limit=0.05,
        ),
        Goal(
            goal=f"harmful skills accepted, worst of {len(harmful)} rows of {harmful[0]['n']}",
            value=max(row["accepted"] for row in harmful),
            limit=0.005,
        ),
        Goal(
            goal="harmful skills accepted, exactly, worst row",
            value=max(row["exact"] for row in harmful),
            limit=0.005,
        ),
        Goal(
            goal="skills worth 30 points accepted, perfect judge, worst row",
            value=min(row["accepted"] for row in perfect),
            limit=0.8,
            at_most=False,
        ),
        *(_found(thirty, judge) for judge in (ROUGH, VOTING)),
        Goal(
            goal="pairs of the longest proof",
            value=max(row["most_pairs"] for row in own),
            limit=120,
        ),
    ]


def _found(thirty: Sequence[Row], judge: Judge) -> Goal:
    """The power at 0.35 → 0.65, exactly: what a judge that errs leaves of it."""
    (row,) = (r for r in thirty if r["skill"] == "0.35 → 0.65" and r["judge"] == judge.name)
    return Goal(
        goal=f"0.35 → 0.65 accepted, judge {judge.name}, exactly",
        value=row["exact"],
        limit=0.8,
        at_most=False,
    )


def print_table(rows: Sequence[Row]) -> None:
    """Print a table with one line per skill and judge and one column per acceptance rule."""
    names = list(dict.fromkeys(row["rule"] for row in rows))
    print(f"simulated; % accepted of {rows[0]['n']} skills each, with 95 % interval for Lull")
    short = [name.replace("SkillOpt-Sleep ", "Sleep ") for name in names[1:]]
    print(f"{'skill':57} {'judge':22} {'kind':8} {'Lull':>20} {'exact':>7} {'pairs':>6}", end="")
    print("".join(f"{name:>11}" for name in short))
    cells: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        cells.setdefault((row["skill"], row["judge"]), {})[row["rule"]] = row
    for (skill, judge), by_rule in cells.items():
        own = by_rule[OWN]
        share = f"{own['accepted']:.2%} [{own['low']:.2%}, {own['high']:.2%}]"
        pairs = own["median_pairs_accepted"]
        exact = f"{own['exact']:.2%}" if own["exact"] is not None else "–"
        print(f"{skill:57} {judge:22} {own['kind']:8} {share:>20} {exact:>7}", end=" ")
        print(f"{pairs if pairs is not None else '–':>6}", end="")
        print("".join(f"{by_rule[name]['accepted']:>11.1%}" for name in names[1:]))
