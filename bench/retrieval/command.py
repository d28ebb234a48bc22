"""`python -m bench retrieval`: whether the skill that a request needs is among the first found.

Requests are MetaClaw-Bench's (`--data DIR`) and fresh rule sets' from a seed; the skills around the
needed ones are generated, and credit is given by the bench (simulated). Every figure stands with
its n, the floor of a random order, its ceiling, and a 95 % interval over days.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.private_rules import Phrasing
from bench.private_rules.asking import SMALL_TALK
from bench.report import RESULTS, print_goals, report, write
from bench.retrieval import metaclaw
from bench.retrieval.collection import Collection, private
from bench.retrieval.course import LULL, Arm, Seen, Talk, arms, run
from bench.retrieval.distractors import distractors
from bench.retrieval.goals import goals
from bench.retrieval.measures import KS, Hit, ceilings, shares
from bench.retrieval.others import BM25
from bench.retrieval.parts import Part, fresh_talk, of_part
from bench.retrieval.table import print_table
from lull.core.feedback.calibration import wilson

Row = dict[str, Any]
SIZES = (40, 1000, 10_000)
QUICK_SIZES = (40, 1000)
SETS, QUICK_SETS = 5, 1


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder in the shape of MetaClaw-Bench")
    parser.add_argument("--quick", action="store_true", help="a look, not a proof")
    parser.add_argument("--part", type=Part, choices=list(Part), default=Part.HELD_OUT)
    parser.add_argument("--seed", type=int, help="of other rule sets than the part's own")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    if args.data is None:
        print(metaclaw.LACKS)
    seed = args.part.seed if args.seed is None else args.seed
    document = measure(data=args.data, quick=args.quick, seed=seed, part=args.part)
    path = write(document, args.out)
    print_table(document["rows"])
    missed = print_goals(document)
    print(f"written to {path}")
    return 1 if missed and args.strict else 0


def measure(*, data: Path | None, quick: bool, seed: int, part: Part) -> dict[str, Any]:
    """`data` None: only rule sets from the seed. Raises as `metaclaw.read`."""
    sets = QUICK_SETS if quick else SETS
    seeds = [1000 * seed + number for number in range(1, sets + 1)]
    collections = [private(one) for one in seeds]
    if data is not None:
        collections.insert(0, of_part(metaclaw.read(data), part))
    talk = Talk(ours=SMALL_TALK, fresh=fresh_talk(part))
    rows = list(_rows(collections, QUICK_SIZES if quick else SIZES, talk, seed))
    return report(
        "retrieval",
        rows=rows,
        goals=goals(rows),
        seeds=[seed, *seeds],
        packages=("bm25s", "numpy"),
        simulated=True,
    )


def _rows(
    collections: Sequence[Collection], sizes: Sequence[int], talk: Talk, seed: int
) -> Iterator[Row]:
    # The skills around are drawn anew for each collection: chance in them moves a recall as much
    # as chance in the rules does.
    seen = [
        (one, run(one, distractors(1000 * seed + number, max(sizes)), sizes, talk, seed=seed))
        for number, one in enumerate(collections)
    ]
    by_source: dict[str, list[tuple[Collection, dict[tuple[Arm, int], Seen]]]] = defaultdict(list)
    for one, course in seen:
        by_source[one.source].append((one, course))
    for source, courses in by_source.items():
        for size in sizes:
            for arm in arms():
                yield _row(source, arm, size, courses, talk, seed)


def _row(
    source: str,
    arm: Arm,
    size: int,
    courses: Sequence[tuple[Collection, dict[tuple[Arm, int], Seen]]],
    talk: Talk,
    seed: int,
) -> Row:
    seen = [course[arm, size] for _, course in courses]
    hits = [hit for one in seen for hit in one.averaged]
    needs = [asked.needs for one, _ in courses for asked in one.measured]
    *recalls, rank = shares(hits, seed)
    aside = [clear for one in seen for clear in one.aside]
    own = arm.system == LULL
    row: Row = {
        "system": arm.system,
        "exemplars": arm.credit.value if own else "–",
        "from": arm.split.value if own and "credit" in arm.credit.value else "–",
        "requests": source,
        "skills": size,
        "n": len(hits),
        "days": len({(hit.source, hit.day) for hit in hits}),
        "collections": len(courses),
    }
    for k, share, most in zip(KS, recalls, ceilings(needs), strict=True):
        row |= {f"recall_{k}": share.value, f"recall_{k}_low": share.low}
        row |= {f"recall_{k}_high": share.high, f"recall_{k}_floor": k / size}
        row |= {f"recall_{k}_ceiling": most}
    row |= {"mrr": rank.value, "mrr_low": rank.low, "mrr_high": rank.high}
    row |= {"mrr_floor": sum(1 / r for r in range(1, 11)) / size}
    row |= _told("abstained", [quiet for one in seen for quiet in one.silent])
    row |= _told("fresh_abstained", [quiet for one in seen for quiet in one.fresh])
    row |= {"small_talk_n": len(talk.ours), "fresh_n": len(talk.fresh), "abstained_floor": 0.0}
    row |= _told("aside_clear", aside)
    row |= {"aside_n": len(aside)}
    row |= _by_phrasing(seen)
    plain = [course[Arm(system=BM25), size] for _, course in courses]
    if own:
        row |= _over(hits, [hit for one in plain for hit in one.averaged], seed)
    row |= {"ms_p50": _ms(seen), "ms_of_bm25": _ms(seen) / _ms(plain)}
    row |= {"ms_p95": _ms(seen, 0.95)}
    return row


def _over(hits: Sequence[Hit], others: Sequence[Hit], seed: int) -> dict[str, float]:
    """Recall at 6 above that of BM25 for the same requests, with the interval of the difference."""
    apart = [
        replace(
            one,
            recalls=tuple(a - b for a, b in zip(one.recalls, other.recalls, strict=True)),
            reciprocal=one.reciprocal - other.reciprocal,
        )
        for one, other in zip(hits, others, strict=True)
    ]
    over = shares(apart, seed)[len(KS) - 1]
    return {"over_bm25": over.value, "over_bm25_low": over.low, "over_bm25_high": over.high}


def _told(what: str, clear: Sequence[bool]) -> dict[str, float | None]:
    """A share with its interval; nothing where there was nothing to ask."""
    if not clear:
        return {what: None, f"{what}_low": None, f"{what}_high": None}
    share = wilson(sum(clear), len(clear))
    return {what: share.value, f"{what}_low": share.low, f"{what}_high": share.high}


def _ms(seen: Sequence[Seen], at: float = 0.5) -> float:
    return float(np.quantile([ms for one in seen for ms in one.times_ms], at))


def _by_phrasing(seen: Sequence[Seen]) -> dict[str, float]:
    """Return recall at 6 for each phrasing."""

    def recall(number: int) -> float:
        hits: list[Hit] = [hits[number] for one in seen for hits in one.hits.values()]
        return float(np.mean([hit.recalls[-1] for hit in hits]))

    return {f"recall_6_{name}": recall(number) for number, name in enumerate(Phrasing)}
