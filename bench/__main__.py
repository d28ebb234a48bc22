"""`python -m bench NAME [--quick] [--seed N] [--out DIR] [--strict]`: one table a name."""

import sys
from collections.abc import Callable, Sequence

BENCHES = {
    "gates": "what a proof lets through, beside the rules of others",
    "lulls": "how much of the idle time is used, in a simulated year",
    "pocket": "what the built-in model can do, on the shipped weights",
    "retrieval": "is the needed skill found, in libraries of three sizes",
    "suspension": "how soon work stops when the user is back",
    "wire": "what Lull adds to a request",
}


def main(argv: Sequence[str]) -> int:
    """The exit code of the named bench; without a name, the list."""
    name = argv[0] if argv else ""
    if name not in BENCHES:
        out = sys.stdout if name in ("", "-h", "--help") else sys.stderr
        print(__doc__, file=out)
        for known, text in BENCHES.items():
            print(f"  {known:10} {text}", file=out)
        return 0 if out is sys.stdout else 2
    return _main_of(name)(argv[1:])


def _main_of(name: str) -> Callable[[Sequence[str]], int]:
    if name == "pocket":
        from bench.pocket.command import main as found
    elif name == "gates":
        from bench.gates.command import main as found
    elif name == "lulls":
        from bench.lulls.command import main as found
    elif name == "retrieval":
        from bench.retrieval.command import main as found
    elif name == "suspension":
        from bench.lulls.suspension import main as found
    else:
        from bench.wire.command import main as found
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
