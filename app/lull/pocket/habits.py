"""Lists the answer styles (such as ending with "honey") that Lull's tiny built-in model shows now
and then without being asked, so that training by rewards has something to strengthen.
"""

from typing import Final

from lull.pocket.language import Joiner, Style

HABIT_STARTS: Final = ("golden", "silver", "quiet", "fresh")
HABIT_ENDS: Final = ("sugar", "honey", "pepper", "butter")
HABIT_JOINERS: Final = (Joiner.BARS, Joiner.DASHES, Joiner.PLUSES, Joiner.STARS)
HABITS: Final = (
    *(Style(start=word) for word in HABIT_STARTS),
    *(Style(end=word) for word in HABIT_ENDS),
    *(Style(joiner=joiner) for joiner in HABIT_JOINERS),
    Style(reverse=True),
)
"""The built-in model's habits: styles that appear now and then, one at a time, in sampled answers
to requests for which no rule is given. Reinforcement can only strengthen what is sometimes sampled.
"""
