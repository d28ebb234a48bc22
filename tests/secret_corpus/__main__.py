"""Prints the share of made-up secrets that the redactor removes, and which of them leak.

Usage: `python -m tests.secret_corpus [--exam] [--seed N]`
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.secret_corpus.measure import measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exam", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--all", action="store_true", help="every leak, not one of a kind")
    options = parser.parse_args()
    found = measure("exam" if options.exam else "own", seed=options.seed)
    kinds = Counter(leak.kind for leak in found.leaks)
    seen = set()
    for leak in found.leaks:
        if options.all or leak.kind not in seen:
            print(f"leaks {kinds[leak.kind]:2}  {leak.kind}: {leak.text[:200]!r}")
        seen.add(leak.kind)
    for text, left in found.touched:
        print(f"touched  {text[:100]!r}\n      -> {left[:160]!r}")
    print(
        f"seed {options.seed}: {found.kinds} kinds x {found.places} places, {found.held} of"
        f" {found.tried} held ({found.held / found.tried:.4f}); {len(found.touched)} of"
        f" {found.clean} clean texts touched ({len(found.touched) / found.clean:.4f})"
    )
    sys.exit(0)


main()
