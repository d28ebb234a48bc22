"""`lull review compare`: shows two unlabelled answers to one of the user's requests, with and
without a proposed skill (an instruction text), and asks for the better one.

On a terminal it shows one pair after another, and a key press picks an answer. Elsewhere each call
either shows one pair or takes one pick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from urllib.parse import quote

from lull.cli.proof.proposal_words import by_look_words, counted, e_words
from lull.cli.shared.context import Context
from lull.cli.shared.control import Control
from lull.cli.shared.keys import read_key
from lull.cli.shared.showing import Paint, is_terminal, reveal_hidden
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.chat.picks import PAIRS_A_SITTING, Pick
from lull.core.errors import UsageError

PROMPT = "Which is better? a, b, s the same, n neither, q quit: "
LETTERS = {"a": Pick.A, "b": Pick.B, "s": Pick.SAME, "n": Pick.NEITHER}
_INTRO = """\
You see answers to a request of yours, two at a time. One was given with the skill, one without;
which is which is tossed anew each time, and nobody knows. Pick what you like better."""


def compare(context: Context) -> None:
    """Run `lull review compare`: show pairs of answers without saying which had the skill, and
    store the user's picks.
    """
    options, control = context.options, Control(context.paths)
    asking = ComparisonClient(control, options.proposal)
    if options.pick:
        pair, pick = options.pick
        context.print_result(asking.pick(pair, _pick_of(pick)), picked_words)
    elif options.picks:
        picks = iter([_pick_of(one) for one in options.picks.split(",")])
        context.print_result(_played(asking, picks), picked_words)
    elif is_terminal() and not context.as_json:
        ComparisonSession(asking).run()
    else:
        context.print_result(asking.next(), pair_words)


def _pick_of(text: str) -> Pick:
    short = LETTERS.get(text.strip().lower())
    if short is None and text.strip() not in list(Pick):
        raise UsageError(f"{text[:40]!r} is no pick.", hint=f"It is one of {', '.join(Pick)}.")
    return short or Pick(text.strip())


def _played(asking: ComparisonClient, picks: Iterator[Pick]) -> Json:
    """Send the given picks to the service one by one, as long as there are pairs of answers."""
    done: Json = {}
    for _, pick in zip(range(PAIRS_A_SITTING), picks, strict=False):
        done = asking.next()
        if done["pair"] is None:
            break
        done = asking.pick(done["pair"], pick)
        if not done["open"]:
            break
    return done


class ComparisonClient:
    """Fetches pairs of answers, with and without a proposed skill, from the service, and sends it
    the answer of each pair that the user picked.
    """

    def __init__(self, control: Control, proposal: str) -> None:
        self._control = control
        self._id = quote(proposal, safe="")

    def next(self) -> Json:
        """Return the next pair of answers to compare; waits until the model has generated both."""
        wait = _Wait()
        try:
            while True:
                done = self._control.post(
                    routes.PROPOSAL_COMPARE.format(id=self._id), {}, meanwhile=wait.look
                )
                if not done["working"]:
                    return done
        finally:
            wait.clear()

    def pick(self, pair: str, pick: Pick) -> Json:
        """Send which of the pair's two answers the user picked; return the service's reply."""
        wanted = {"pair": pair, "pick": pick.value}
        return self._control.post(routes.PROPOSAL_PICK.format(id=self._id), wanted)


class _Wait:
    """A progress line on stderr while the model answers."""

    def __init__(self) -> None:
        shows = sys.stderr is not None and sys.stderr.isatty()
        self._shows = shows and os.environ.get("TERM") != "dumb"
        self._dots = 0

    def look(self) -> None:
        if self._shows:
            self._dots += 1
            line = f"the model answers, {self._dots} s; your chats go first"
            print(f"\r\x1b[Klull: {line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._dots:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._dots = 0


class ComparisonSession:
    """A session on a terminal in which the user picks the better of two answers, with and without a
    proposed skill.

    It ends when the skill's test is decided or the user quits.
    """

    def __init__(self, asking: ComparisonClient) -> None:
        self._asking = asking
        self._paint = Paint.for_stdout()

    def run(self) -> None:
        """Show pairs of answers and ask for the better one until the user ends the session."""
        print(_INTRO)
        last: Json | None = None
        for number in range(1, PAIRS_A_SITTING + 1):
            shown = self._asking.next()
            if number == 1 and shown["pair"] is not None:
                print(self._paint.faint(goal_words(shown)))
            if shown["alike"]:
                print(self._paint.faint(alike_words(shown["alike"])))
            if shown["pair"] is None:
                last = shown
                break
            pick = self._picked(shown, number)
            if pick is None:
                break
            last = self._asking.pick(shown["pair"], pick)
            if not last["open"]:
                break
        print(picked_words(last) if last else "Nothing was picked.")

    def _picked(self, shown: Json, number: int) -> Pick | None:
        """Ask for the user's pick; None when they quit."""
        paint = self._paint
        print(paint.faint(f"\n── {number} of at most {PAIRS_A_SITTING} now ".ljust(61, "─")))
        print(f"You asked: {reveal_hidden(shown['request'])}")
        if shown["wish"]:
            print(paint.faint(f"You had said: {reveal_hidden(' '.join(shown['wish'].split()))}"))
        for letter in ("a", "b"):
            print(f"\n{paint.bold(letter.upper())}\n{reveal_hidden(shown[letter])}")
        print()
        while True:
            key = read_key(PROMPT)
            if key in (None, "q"):
                return None
            if key in LETTERS:
                return LETTERS[key]


def goal_words(shown: Json) -> str:
    """Say how many picks for the skill are enough, and how many pairs there can be."""
    return (
        f"{counted(shown['wanted'], 'pick')} for the skill: that is enough. If your picks differ,"
        f" it takes more, at most {shown['most']}; you can stop at any time."
    )


def alike_words(number: int) -> str:
    """Describe that pairs of answers were left out because both answers were the same."""
    return f"{counted(number, 'pair')} of answers were the same, word for word: nothing to pick."


def pair_words(shown: Json) -> str:
    """Describe a pair of answers to compare as text, with the command to pick one of them."""
    if shown["pair"] is None:
        return picked_words(shown)
    return "\n".join(
        (
            f"You asked: {reveal_hidden(shown['request'])}",
            f"\nA\n{reveal_hidden(shown['a'])}\n\nB\n{reveal_hidden(shown['b'])}\n",
            f"`lull review compare {shown['proposal']} --pick {shown['pair']} a`, or b, same,"
            " neither.",
        )
    )


def picked_words(done: Json) -> str:
    """Describe the result so far of the user's blind picks between answers with and without a
    proposed skill.
    """
    name = f"“{reveal_hidden(done['name'])}”"
    tally = f"{counted(done['picks'], 'pick')} of yours"
    match done["status"]:
        case "proved":
            said = (
                f"{name} is proved{by_look_words(done)}: better with it in {done['wins']},"
                f" worse in {done['losses']},"
                f" {e_words(done['e_value'])}. `lull review approve {done['proposal']}` puts it"
                " into force."
            )
        case "unproved" if not done["open"]:
            said = f"{name}: {reveal_hidden(done['reason'])}."
        case "proving":
            said = f"{name} is better, by {tally}; past successes are replayed in the next lull."
        case _:
            more = counted(done["wanted"], "more pick")
            said = (
                f"{name} is not decided yet, by {tally}: {more} the same way would prove it,"
                f" {e_words(done['e_value'])} of {done['needs_e_value']:.3g}."
            )
    return f"{alike_words(done['alike'])}\n{said}" if done["alike"] else said
