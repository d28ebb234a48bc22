"""Starts `lull` without the rule that keeps support turns out of training, for one arm of the
benchmark.

What taught a skill must not train the weights (MetaClaw, arXiv 2603.17187, section 3.4). To measure
what the rule is good for, this takes it out; nothing in the product can.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from lull.cli.main import main
from lull.core.training import eligibility
from lull.core.training.eligibility import TurnStanding
from lull.loops.training import eligible


def _apart_from_support(standing: TurnStanding) -> TurnStanding:
    return replace(standing, support=False, near_support=False, current=True)


def take_out_the_rule() -> None:
    eligible.why_not = lambda standing: eligibility.why_not(_apart_from_support(standing))
    eligible.why_no_prompt = lambda standing: eligibility.why_no_prompt(
        _apart_from_support(standing)
    )


if __name__ == "__main__":
    take_out_the_rule()
    sys.exit(main())
