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
from lull.core.training.eligibility import TurnFacts
from lull.loops.training import eligible


def _apart_from_support(standing: TurnFacts) -> TurnFacts:
    return replace(standing, support=False, near_support=False, current=True)


def take_out_the_rule() -> None:
    eligible.why_not_trainable = lambda standing: eligibility.why_not_trainable(
        _apart_from_support(standing)
    )
    eligible.why_prompt_unusable = lambda standing: eligibility.why_prompt_unusable(
        _apart_from_support(standing)
    )


if __name__ == "__main__":
    take_out_the_rule()
    sys.exit(main())
