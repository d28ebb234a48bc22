"""`lull prove`: has the service test proposed skills by replaying past requests, and shows the
progress.

The replays run in the service, so they go on when the user stops waiting.
"""

from __future__ import annotations

import math
import os
import sys
import time

from lull.cli.proof.proposal_words import extension_words, list_words, pairs_words
from lull.cli.shared.context import Context, progress
from lull.cli.shared.control import Control, ServiceError
from lull.cli.shared.showing import reveal_hidden
from lull.contract import routes
from lull.contract.json_object import Json

TO_PROVE = ("screened", "proving")


def prove(context: Context) -> None:
    """Run `lull prove`: prove proposed skills now and not only when the user is away."""
    options, control = context.options, Control(context.paths)
    wanted = {"id": options.proposal, "wait": options.wait}
    bar = ProofLine(control, options.proposal) if options.wait and _shows() else None
    try:
        # No timeout: a model may have to write first, and a proof may take any time.
        done = control.post(
            routes.PROPOSALS_PROVE,
            wanted,
            patience_s=None,
            meanwhile=None if bar is None else bar.look,
        )
    except KeyboardInterrupt:
        if bar is not None:
            bar.clear()
        progress("lull: the proofs go on in the service; `lull review` shows how far they are")
        raise
    if bar is not None:
        bar.clear()
    words = list_words if options.wait else _begun_words
    context.print_result(
        done, lambda done: "\n".join((words(done), *map(_undone, done["problems"])))
    )


def _undone(problem: Json) -> str:
    return reveal_hidden(f"Not done: {problem['title']}: {problem['detail']} ({problem['hint']})")


def _begun_words(done: Json) -> str:
    waiting = [p for p in done["proposals"] if p["status"] in TO_PROVE]
    if not waiting:
        return list_words(done)
    return f"{list_words(done)}\nThe proofs have begun; `lull prove --wait` waits for them."


def _shows() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class ProofLine:
    """A progress line on stderr, overwritten in place, about the tests of proposed skills."""

    def __init__(self, control: Control, only: str | None) -> None:
        self._control = control
        self._only = only
        self._began_s = time.monotonic()
        self._before: dict[str, int] = {}
        """Each proposal's number of pairs when the wait began."""
        self._line = ""

    def look(self) -> None:
        """Fetch the state of the tests that are under way and show it in the line."""
        try:
            page = self._control.get(routes.PROPOSALS)
        except ServiceError:
            return  # the POST request reports the error
        running = [p for p in page["proposals"] if p["status"] in TO_PROVE]
        if self._only is not None:
            running = [p for p in running if p["id"] == self._only]
        self._write(self._told(running))

    def _told(self, running: list[Json]) -> str:
        if not running:
            return "looking for failures"
        now = next((p for p in running if p["status"] == "proving"), running[-1])
        pairs: int = now["evidence"]["pairs"]
        new = pairs - self._before.setdefault(now["id"], pairs)
        pair_s = (time.monotonic() - self._began_s) / new if new > 0 else None
        more = f"; {len(running) - 1} more wait" if len(running) > 1 else ""
        return f"{progress_words(now, pair_s)}{more}"

    def _write(self, line: str) -> None:
        if line != self._line:
            print(f"\r\x1b[Klull: {line}", end="", file=sys.stderr, flush=True)
            self._line = line

    def clear(self) -> None:
        """Erase the line from the terminal, if it was written."""
        if self._line:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def progress_words(proposal: Json, pair_s: float | None) -> str:
    """Describe how far the test of a proposed skill is and how long it can still take.

    `pair_s` is the time in seconds for each pair of answers (with and without the skill).
    """
    evidence = proposal["evidence"]
    said = (
        f"{reveal_hidden(proposal['name'])}: {pairs_words(evidence)},"
        f" {evidence['wins']} won, {evidence['losses']} lost,"
        f" e = {min(evidence['e_value'], 9999):.3g} of {evidence['needs_e_value']:.3g}"
        f"{extension_words(evidence)}"
    )
    if pair_s is None:
        return said
    most = evidence.get("most_pairs_if_open", evidence["most_pairs"])
    left_s = max(0, most - evidence["pairs"]) * pair_s
    return f"{said}, {_at_most(left_s)} left at most"


def _at_most(seconds: float) -> str:
    return f"{math.ceil(seconds)} s" if seconds < 90 else f"{math.ceil(seconds / 60)} min"
