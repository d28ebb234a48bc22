"""What a person's own programs put into the system message, in the arms without Lull's skills.

These are the rivals of a learned library: the corrections pasted by hand, all of them injected, and
an oracle. They stand in the block in which the built-in model was taught to read rules, because a
rival that it cannot read would be none.
"""

from __future__ import annotations

import random

from bench.workweek.arms import Pasted
from bench.workweek.person import Fault, Person, Request, Said
from lull.pocket import language as pocket


class Notes:
    """The corrections so far, and those of them that are pasted."""

    def __init__(self, person: Person, pasted: Pasted) -> None:
        self._person = person
        self._pasted = pasted
        self._last: dict[tuple[str, str], str] = {}
        self._all: list[str] = []
        self._in_force: dict[str, tuple[str, ...]] = {}
        self._everything: tuple[str, ...] = ()

    def said(self, request: Request, said: Said) -> None:
        """Note a correction. A slip is noticed by who pastes it by hand."""
        if said.fault is not Fault.SLIP:
            self._last[request.client, request.kind] = said.rule
        if said.rule not in self._all:
            self._all.append(said.rule)

    def paste(self) -> None:
        """Bring the system messages up to date with what was noted until now."""
        clients = {client for client, _ in self._last}
        self._in_force = {
            client: tuple(rule for (whose, _), rule in self._last.items() if whose == client)
            for client in clients
        }
        self._everything = tuple(self._all)

    def system(self, request: Request) -> str:
        """Return the system message for a request; "" for none."""
        match self._pasted:
            case Pasted.LAST:
                rules = self._in_force.get(request.client, ())
            case Pasted.EVERYTHING:
                rules = self._everything
            case Pasted.ORACLE:
                rules = self._wanted(request)
            case Pasted.NOTHING:
                rules = ()
        return pocket.block(rules) if rules else ""

    def _wanted(self, request: Request) -> tuple[str, ...]:
        style = self._person.style(request.client, request.kind, request.day)
        if not style:
            return ()
        chance = random.Random(f"{self._person.seed}:{request.day}:{request.number}:oracle")
        return (pocket.as_sentence(pocket.draw_rule(chance, request.kind, style)),)
