"""Runs a benchmark: `python -m bench NAME [--quick] [--seed N] [--out DIR] [--strict]`."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from bench.services import exit_on_sigterm

BENCHES = {
    "english": "does the small English model keep rules, in words that it was not trained on",
    "gates": "what a proof lets through, beside the rules of others",
    "graduation": "does a proved skill move into the weights, on rules drawn anew",
    "kinds": "does a rule come back with the requests that it is about, and with no others",
    "lulls": "how much of the idle time is used, in a simulated year",
    "metaclaw_bench": "days of work in a workspace, with and without Lull, for any model",
    "pipeline": "research in twelve stages, with and without Lull, for any model",
    "plainweek": "does it learn plain English: simulated persons chat with the model that ships",
    "pocket": "what the built-in model can do, on the shipped weights",
    "reader": "what is heard in what people type behind an answer, on people not learned from",
    "retrieval": "is the needed skill found, in libraries of three sizes",
    "trainer": "what a training step costs, and what an interruption does",
    "suspension": "how soon work stops when the user is back",
    "window": "how soon the window is there, what it takes, and whether it ever freezes",
    "wire": "what Lull adds to a request",
    "workweek": "does it learn: a simulated person, days of real use, with and without each part",
}


TOGETHER = {
    "all": "every one of these, then the report",
    "report": "docs/benchmarks.md from the results that are there, running nothing",
}


def main(argv: Sequence[str]) -> int:
    """Run the benchmark named in `argv` and return its exit code; without a name, list all of
    them.
    """
    name = argv[0] if argv else ""
    if name in TOGETHER:
        from bench.all import command

        run = command.main if name == "all" else command.report_main
        return run(argv[1:], BENCHES)
    if name not in BENCHES:
        out = sys.stdout if name in ("", "-h", "--help") else sys.stderr
        print(__doc__, file=out)
        for known, text in (BENCHES | TOGETHER).items():
            print(f"  {known:14} {text}", file=out)
        return 0 if out is sys.stdout else 2
    code = _main_of(name)(argv[1:])
    if "--out" not in argv and "--json" not in argv:
        from bench.all.command import refresh

        refresh(BENCHES)
    return code


def _main_of(name: str) -> Callable[[Sequence[str]], int]:
    module = "bench.lulls.suspension" if name == "suspension" else f"bench.{name}.command"
    found: Callable[[Sequence[str]], int] = import_module(module).main
    return found


if __name__ == "__main__":
    exit_on_sigterm()
    sys.exit(main(sys.argv[1:]))
