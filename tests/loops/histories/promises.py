"""Checks what must hold of every request as it goes out.

Wherever possible the expectation comes from the test's own books and not from the code under test:
which skills a client may see, which bytes they have, what a request was stamped with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.trajectory import InjectedSkill, TurnStamp
from lull.core.skills.prompt_block import BETWEEN, CLOSING, OPENING
from lull.loops.chat.serving import Serving
from tests.loops.histories.bodies import added
from tests.loops.histories.book import Page, visible

PINNED_CHARACTERS = 600
"""Pinned skills of at most this many characters have a place in every prompt of these histories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One request, and the library that was in force when it arrived."""

    stamp: TurnStamp
    client: Client
    generation: int
    facts: ModelFacts
    pages: Sequence[Page]
    """The library in every generation up to that of the arrival."""

    @property
    def sees(self) -> Page:
        return visible(self.pages[-1], self.client)


@dataclass(slots=True, kw_only=True)
class Trail:
    """What a trajectory carries: the skills of its first turn, and those that joined later ones."""

    client: Client
    generation: int
    skills: tuple[InjectedSkill, ...]
    joined: set[tuple[int, str]]


def check_sent(plain: bytes, sent: bytes, serving: Serving, arrival: Arrival) -> None:
    """Check that nothing but the texts that the stamp names was added to the client's own words,
    and that all of them are approved for this client.
    """
    bodies = {s.sha256: s.text.body for page in arrival.pages for s in page.values()}
    first = [bodies[skill.sha256] for skill in serving.skills.selection.skills]
    wanted = [_block(first)] if first else []
    if first and serving.request.system is None and arrival.facts.system:
        wanted = [f"{arrival.facts.system}\n\n{wanted[0]}"]
    for suffix in serving.skills.suffixes:
        wanted.append(_block([bodies[skill.sha256] for skill in suffix.skills]))
    assert sorted(text.lstrip("\n") for text in added(plain, sent)) == sorted(wanted)
    for skill in serving.stamp.skills:
        owners = {
            key.client
            for page in arrival.pages
            for key, stands in page.items()
            if (key.name, stands.version, stands.sha256)
            == (skill.name, skill.version, skill.sha256)
        }
        assert owner_of(arrival.client) in owners, "a skill of another client"


def _block(bodies: Sequence[str]) -> str:
    return OPENING + BETWEEN.join(bodies) + CLOSING


def check_arrival(serving: Serving, arrival: Arrival, trails: dict[str, Trail]) -> None:
    """Check that the stamp says what was in force at arrival, that what a trajectory carries stays
    as it is, and that what is new in it is in force now.
    """
    stamp = serving.stamp
    assert stamp.policy.generation == arrival.generation
    assert (stamp.policy.model, stamp.policy.adapter) == (arrival.facts.digest, None)
    assert (stamp.client, stamp.apart) == (arrival.client.name, arrival.client.apart)
    carried = [*serving.skills.selection.skills]
    carried += [skill for suffix in serving.skills.suffixes for skill in suffix.skills]
    assert stamp.skills == tuple(carried)
    trail = trails.get(stamp.trajectory)
    if trail is None:
        assert stamp.number == 1
        trail = Trail(
            client=arrival.client,
            generation=arrival.generation,
            skills=serving.skills.selection.skills,
            joined=set(),
        )
        trails[stamp.trajectory] = trail
        _check_in_force(trail.skills, arrival)
        _check_pinned(trail.skills, arrival)
    assert trail.client == arrival.client, "a conversation of another client was continued"
    assert serving.skills.selection.skills == trail.skills
    for suffix in serving.skills.suffixes:
        if (suffix.message, suffix.text) not in trail.joined:
            trail.joined.add((suffix.message, suffix.text))
            _check_in_force(suffix.skills, arrival)
            _check_new(suffix.skills, arrival, since=trail.generation)


def _check_in_force(skills: Sequence[InjectedSkill], arrival: Arrival) -> None:
    stand = {(key.name, s.version, s.sha256) for key, s in arrival.sees.items()}
    for skill in skills:
        assert (skill.name, skill.version, skill.sha256) in stand, f"{skill.name} is not in force"


def _check_new(skills: Sequence[InjectedSkill], arrival: Arrival, *, since: int) -> None:
    """Check that only skills that have changed since a conversation began join it."""
    keys = {(key.name, s.sha256): key for key, s in arrival.sees.items()}
    for skill in skills:
        key = keys[skill.name, skill.sha256]
        stood = [page.get(key) for page in arrival.pages[since:]]
        assert any(one != stood[0] for one in stood), f"{skill.name} is no news"


def _check_pinned(skills: Sequence[InjectedSkill], arrival: Arrival) -> None:
    pinned = {key.name: s for key, s in arrival.sees.items() if s.pinned}
    if sum(len(s.text.body) for s in pinned.values()) <= PINNED_CHARACTERS:
        assert pinned.keys() <= {skill.name for skill in skills}


def owner_of(client: Client) -> str:
    return client.name if client.apart else ""
