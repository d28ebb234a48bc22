"""Regular expressions that cannot be made slow, for checks that a model has proposed.

The `re` module goes back and tries again: a hostile pattern, or only a clumsy one, takes years on
a short text, and nothing can stop it. Here all ways through a pattern are followed at once, so the
work is at most (length of the text) times (size of the pattern), whatever either says. After Ken
Thompson, "Regular Expression Search Algorithm", CACM 11(6), 1968; sets of states are remembered,
so that ordinary patterns cost one look-up a character. What may stand in a pattern is
`pattern_reading`'s business; greedy or lazy makes no difference to whether something is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from lull.core.pattern_reading import At, Either, Many, Node, One, Reader, Repeat, is_word, refused

LONGEST: Final = 200
"""Characters of a pattern: a longer one is no check that a person can read and approve."""
MOST_STEPS: Final = 300
_MOST_WORK: Final = 5_000
_REMEMBERED: Final = 4_000
"""Single steps of searches that are kept for the next time they come."""


@lru_cache(maxsize=64)
def read_pattern(pattern: str) -> Pattern:
    """Raises SkillError for one that is not allowed."""
    return Pattern(pattern)


@dataclass(frozen=True, slots=True)
class _Split:
    """Go on at both places."""

    first: int
    second: int


class _Writer:
    """From the tree to steps that can be followed side by side."""

    def __init__(self) -> None:
        self.steps: list[One | At | _Split] = []
        self._work = 0

    def write(self, node: Node) -> None:
        self._work += 1
        if self._work > _MOST_WORK or len(self.steps) > MOST_STEPS:
            raise refused("it is too large once its repeats are written out")
        match node:
            case One() | At():
                self.steps.append(node)
            case Many(nodes):
                for inner in nodes:
                    self.write(inner)
            case Either(nodes):
                self._either(nodes)
            case Repeat():
                self._repeat(node)

    def _either(self, nodes: tuple[Node, ...]) -> None:
        jumps = []
        for node in nodes[:-1]:
            split = self._hole()
            self.write(node)
            jumps.append(self._hole())
            self.steps[split] = _Split(split + 1, len(self.steps))
        self.write(nodes[-1])
        for jump in jumps:
            self.steps[jump] = _Split(len(self.steps), len(self.steps))

    def _repeat(self, repeat: Repeat) -> None:
        for _ in range(repeat.least):
            self.write(repeat.node)
        if repeat.most is None:
            split = self._hole()
            self.write(repeat.node)
            self.steps.append(_Split(split, split))
            self.steps[split] = _Split(split + 1, len(self.steps))
            return
        splits = []
        for _ in range(repeat.most - repeat.least):
            splits.append(self._hole())
            self.write(repeat.node)
        for split in splits:
            self.steps[split] = _Split(split + 1, len(self.steps))

    def _hole(self) -> int:
        self.steps.append(_Split(0, 0))
        return len(self.steps) - 1


_Here = frozenset[At]


class Pattern:
    """A pattern that has been read. Raises SkillError for one that is not allowed.

    A set of steps is an integer, one bit a step; the bit above the last step is the match.
    """

    def __init__(self, pattern: str) -> None:
        if not 0 < len(pattern) <= LONGEST:
            raise refused(f"it has {len(pattern)} characters; 1 to {LONGEST} are allowed")
        writer = _Writer()
        writer.write(Reader(pattern).read())
        self._steps = tuple(writer.steps)
        self._match = 1 << len(self._steps)
        self._size = len(self._steps) // 8 + 1
        self._places = tuple({step for step in self._steps if isinstance(step, At)})
        self._takers: dict[str, int] = {}
        """The steps that take a character."""
        self._opened: dict[tuple[_Here, int, int], int] = {}
        """What eight steps lead to, by their number and which of them are stood on."""
        self._seen: dict[tuple[int, _Here, str], int] = {}

    def found_in(self, text: str) -> bool:
        """Whether the pattern matches anywhere in the text."""
        states = 0
        for at in range(len(text) + 1):
            here = frozenset(place for place in self._places if _is_at(place, text, at))
            states = self._after(states, here, text[at : at + 1])
            if states & self._match:
                return True
        return False

    def _after(self, states: int, here: _Here, character: str) -> int:
        """The steps behind this character; the match alone where it stands before it."""
        key = (states, here, character)
        if key in self._seen:
            return self._seen[key]
        stood_on = self._open(states | 1, here)  # a match may begin anywhere
        found = stood_on & self._match
        after = found or (stood_on & self._taking(character)) << 1
        if len(self._seen) < _REMEMBERED:
            self._seen[key] = after
        return after

    def _taking(self, character: str) -> int:
        if character not in self._takers:
            if len(self._takers) > _REMEMBERED:
                self._takers.clear()
            steps = self._steps if character else ()
            self._takers[character] = sum(
                1 << at
                for at, step in enumerate(steps)
                if isinstance(step, One) and step.has(character)
            )
        return self._takers[character]

    def _open(self, states: int, here: _Here) -> int:
        """All steps that can be stood on without taking a character."""
        found = 0
        for number, eight in enumerate(states.to_bytes(self._size, "little")):
            if eight:
                key = (here, number, eight)
                if key not in self._opened:
                    self._opened[key] = self._led_to(number, eight, here)
                found |= self._opened[key]
        return found

    def _led_to(self, number: int, eight: int, here: _Here) -> int:
        found = 0
        waiting = [8 * number + bit for bit in range(8) if eight >> bit & 1]
        while waiting:
            at = waiting.pop()
            if found >> at & 1:
                continue
            found |= 1 << at
            step = self._steps[at] if at < len(self._steps) else None
            if isinstance(step, _Split):
                waiting += (step.first, step.second)
            elif isinstance(step, At) and step in here:
                waiting.append(at + 1)
        return found


def _is_at(place: At, text: str, at: int) -> bool:
    before, behind = text[at - 1 : at] if at else "", text[at : at + 1]
    match place:
        case At.START:
            return at == 0
        case At.LINE_START:
            return before in ("", "\n")
        case At.END:
            return at == len(text)
        case At.LINE_END:
            return behind in ("", "\n")
        case At.LAST_LINE_END:
            return at >= len(text) - 1 and text[at:] in ("", "\n")
    edge = (before != "" and is_word(before)) != (behind != "" and is_word(behind))
    return edge if place is At.EDGE else bool(text) and not edge
