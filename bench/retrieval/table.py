"""Prints the retrieval results as a table."""

from collections.abc import Sequence
from typing import Any

_QUOTED = (
    "of 346 requests, 1,000 skills, recall at 6, as measured elsewhere: MetaClaw's template 0.00,"
    " its keywords 0.26, its embedding 0.09; BM25 0.48; BM25 with exemplars 0.76 (30 % wrong"
    " credit) to 0.96"
)


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    print("simulated: generated skills and credit; three phrasings of each needed skill, averaged")
    print(_QUOTED)
    print(
        "silent: small talk that gets no skill, ours and fresh; aside: requests that no rule"
        " concerns and that get none of the collection's skills; from: which other requests may be"
        " exemplars; ms: of the processor"
    )
    for head in dict.fromkeys((row["requests"], row["skills"]) for row in rows):
        these = [row for row in rows if (row["requests"], row["skills"]) == head]
        first = these[0]
        print(
            f"\n{head[0]}, {head[1]} skills; n = {first['n']} requests on {first['days']} days;"
            f" small talk n = {first['small_talk_n']}, fresh {first['fresh_n']}"
        )
        print(
            f"{'':30}{'exemplars':20}{'from':11}{'R@1':>6}{'R@3':>6}{'R@6 [95 %]':>19}"
            f"{'MRR':>6}{'silent':>8}{'fresh':>8}{'aside':>7}{'ms':>8}{'× BM25':>8}"
        )
        for row in these:
            print(_line(row))
        print(
            f"{'floor: a random order':61}{first['recall_1_floor']:>6.2f}"
            f"{first['recall_3_floor']:>6.2f}{first['recall_6_floor']:>6.2f}"
        )
        print(
            f"{'ceiling: several are needed':61}{first['recall_1_ceiling']:>6.2f}"
            f"{first['recall_3_ceiling']:>6.2f}{first['recall_6_ceiling']:>6.2f}"
        )


def _line(row: dict[str, Any]) -> str:
    interval = f"{row['recall_6']:.2f} [{row['recall_6_low']:.2f}, {row['recall_6_high']:.2f}]"
    return (
        f"{row['system']:30}{row['exemplars']:20}{row['from']:11}{row['recall_1']:>6.2f}"
        f"{row['recall_3']:>6.2f}{interval:>19}{row['mrr']:>6.2f}{row['abstained']:>8.1%}"
        f"{row['fresh_abstained']:>8.1%}"
        f"{_aside(row):>7}"
        f"{row['ms_p50']:>8.2f}{row['ms_of_bm25']:>8.1f}"
    )


def _aside(row: dict[str, Any]) -> str:
    return "–" if row["aside_clear"] is None else f"{row['aside_clear']:.0%}"
