"""`python -m bench.private_rules --seed N --out DIR`: writes one rule set as a folder."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.private_rules.folder import write
from bench.private_rules.rule_set import rule_set


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.private_rules", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    made = rule_set(args.seed)
    write(made, args.out)
    print(f"{made.world}, {len(made.days)} days, {len(made.requests)} requests in {args.out}")
    for rule in made.rules:
        print(f"  {rule.id:9} {rule.said}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
