"""`lull review` on a terminal: shows one proposed skill after another and reads a letter for the
user's decision on each.

Letters end with Enter, so that a key held down cannot approve an unread text. An approval sends the
hash of the text that was shown, so that the service refuses it if the text has changed since.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from enum import Enum, auto

from lull.cli.proof.proposal_words import NOTHING, counted, faults_words, proposal_text
from lull.cli.shared.control import Control, ServiceError
from lull.cli.shared.showing import Paint, ask, reveal_hidden
from lull.cli.skills.editor import EditorFailed
from lull.cli.skills.review_actions import (
    decide,
    decided_words,
    edit_by_hand,
    fetch,
    unproved_words,
)
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import SkillError, UsageError

PROMPT = "Approve, edit, reject, defer, undo, skip, quit? [a/e/r/d/u/s/q/?] "
HELP = """\
a  approve: exactly this text comes into force, from your next message
e  edit: your $VISUAL or $EDITOR opens; the text is yours then, and is proved anew
r  reject: the same does not come again, in other words neither; a reason can be given
d  defer: not now; it stays in the list and is not proved by itself meanwhile
u  undo: take the last approval, rejection or deferral back
s  skip: leave it as it is and go on
q  quit: what was decided stays decided
Each letter ends with Enter."""


DECIDED_STATUSES = ("approved", "rejected")


class LetterOutcome(Enum):
    """What `lull review` does after the user has typed a letter: ask again, show the proposal
    again, go on to the next one, or leave.
    """

    ASK = auto()
    SHOW = auto()
    GO_ON = auto()
    LEAVE = auto()


class InputEnded(Exception):
    """Raised when the terminal's input ends while `lull review` waits for a decision."""


class ReviewSession:
    """Shows the proposed skills one by one on a terminal, asks the user to approve, edit, reject or
    defer each, and sends the decisions to the service.
    """

    def __init__(self, control: Control) -> None:
        self._control = control
        self._paint = Paint.for_stdout()
        self._queue: list[str] = []
        self._decided: dict[str, str] = {}
        """Maps the ids of proposals decided so far to their new status."""
        self._letters = {
            **dict.fromkeys(("a", "approve"), self._approve),
            **dict.fromkeys(("e", "edit"), self._edit),
            **dict.fromkeys(("r", "reject"), self._reject),
            **dict.fromkeys(("d", "defer"), self._defer),
            **dict.fromkeys(("u", "undo"), self._undo),
            **dict.fromkeys(("s", "skip"), self._skip),
            **dict.fromkeys(("q", "quit"), self._quit),
            **dict.fromkeys(("?", "h", "help"), self._help),
        }

    def run(self) -> int:
        """Ask the user on the terminal to approve, edit, reject or defer each proposed skill;
        return the exit code.

        Raises NotRunning if the service ends.
        """
        page = self._control.get(routes.PROPOSALS)
        for line in faults_words(page["faults"], now=datetime.now(UTC)):
            print(self._paint.warning(line))
        self._queue = [proposal["id"] for proposal in page["proposals"]]
        if not self._queue:
            print(NOTHING)
            return 0
        try:
            self._walk()
        except InputEnded:
            print()
        except KeyboardInterrupt:
            print()
            self._sum_up()
            return 130
        self._sum_up()
        return 0

    def _walk(self) -> None:
        then = LetterOutcome.SHOW
        shown: Json = {}
        while self._queue and then is not LetterOutcome.LEAVE:
            if then is not LetterOutcome.ASK:
                shown = fetch(self._control, self._queue[0])["proposal"]
                if shown["status"] in DECIDED_STATUSES:  # decided elsewhere in the meantime
                    self._queue.pop(0)
                    continue
                self._show(shown)
            then = self._one(shown)

    def _show(self, proposal: Json) -> None:
        done = len(self._decided)
        print(self._paint.faint(f"\n── {done + 1} of {done + len(self._queue)} ".ljust(61, "─")))
        print(proposal_text(proposal, self._paint))
        print()

    def _one(self, shown: Json) -> LetterOutcome:
        letter = self._ask(PROMPT).lower()
        if not letter:
            return LetterOutcome.ASK
        act = self._letters.get(letter)
        if act is None:
            print(f"{letter[:20]!r} is none of the letters; ? tells what each does.")
            return LetterOutcome.ASK
        try:
            return act(shown)
        except (ServiceError, EditorFailed, SkillError, UsageError) as error:
            print(self._paint.bad(reveal_hidden(" ".join(f"lull: {error}".split()))))
        now = fetch(self._control, shown["id"])["proposal"]
        same = all(now[key] == shown[key] for key in ("sha256", "status"))
        return LetterOutcome.ASK if same else LetterOutcome.SHOW

    def _ask(self, prompt: str) -> str:
        line = ask(prompt)
        if line is None:
            raise InputEnded
        return line

    # The letters

    def _approve(self, shown: Json) -> LetterOutcome:
        if why := unproved_words(shown):
            said = self._ask(f"{why} Type `yes` to approve it anyway: ")
            if said.lower() != "yes":
                print("It was not approved.")
                return LetterOutcome.ASK
        return self._done("approve", shown, {"sha256": shown["sha256"]})

    def _reject(self, shown: Json) -> LetterOutcome:
        reason = self._ask("Why not? (Enter: no reason) ")
        return self._done("reject", shown, {"reason": reason})

    def _defer(self, shown: Json) -> LetterOutcome:
        return self._done("defer", shown, {})

    def _done(self, action: str, shown: Json, wanted: Json) -> LetterOutcome:
        done = decide(self._control, shown["id"], action, wanted)
        print(self._paint.good(decided_words(action, done)))
        self._queue.remove(shown["id"])
        self._decided[shown["id"]] = done["proposal"]["status"]
        return LetterOutcome.GO_ON

    def _edit(self, shown: Json) -> LetterOutcome:
        done = edit_by_hand(self._control, shown)
        if done is None:
            print("Nothing was changed.")
            return LetterOutcome.ASK
        print(self._paint.good(decided_words("edit", done)))
        return LetterOutcome.SHOW

    def _undo(self, _: Json) -> LetterOutcome:
        done = self._control.post(routes.PROPOSALS_UNDO, {})
        print(self._paint.good(f"Taken back. {decided_words('undo', done)}"))
        back = done["proposal"]["id"]
        self._decided.pop(back, None)
        self._queue = [back, *(one for one in self._queue if one != back)]
        return LetterOutcome.SHOW

    def _skip(self, shown: Json) -> LetterOutcome:
        self._queue.remove(shown["id"])
        self._decided[shown["id"]] = "skipped"
        return LetterOutcome.GO_ON

    def _quit(self, _: Json) -> LetterOutcome:
        return LetterOutcome.LEAVE

    def _help(self, _: Json) -> LetterOutcome:
        print(HELP)
        return LetterOutcome.ASK

    def _sum_up(self) -> None:
        counts = Counter(self._decided.values())
        said = [f"{number} {status}" for status, number in counts.items() if status != "skipped"]
        open_ones = len(self._queue) + counts["skipped"] + counts["deferred"]
        said.append(f"{counted(open_ones, 'suggestion')} still open")
        print(f"{', '.join(said)}." + (" `lull review undo` goes back." if len(said) > 1 else ""))
