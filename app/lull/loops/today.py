"""Which skills a stored request would get today.

Support and query are told apart with it (LEARNING's fourth rule), a replay starts from it, and a
failure counts only while what went wrong would still be served so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lull.core.messages import ChatRequest, Message, Role
from lull.core.policy import Client, ModelFacts
from lull.core.skill import Library, Skill
from lull.core.trust import strip_injected
from lull.loops.fix_skills import FixSkills
from lull.store.reward_rows import Served


class Today:
    def __init__(
        self,
        fixing: FixSkills,
        *,
        library: Callable[[], Library],
        facts: Callable[[str], ModelFacts | None],
    ) -> None:
        """`facts` of a model by the name its client typed, None while they are not known."""
        self._fixing = fixing
        self._library = library
        self._facts = facts

    def skills(self, served: Served) -> tuple[Skill, ...] | None:
        """In the prompt of the trajectory's first request, were it made now; None where the model
        is not known now."""
        client = _client(served)
        if not self._library().room(client.name, apart=client.apart).skills:
            return ()
        model = self._facts(served.turn.model)
        if model is None:
            return None
        return self.skills_for(
            first_request(served.turn.request),
            model_name=served.turn.model,
            model=model,
            client=client,
        )

    def skills_for(
        self,
        messages: tuple[Message, ...],
        *,
        model_name: str,
        model: ModelFacts,
        client: Client,
    ) -> tuple[Skill, ...]:
        request = ChatRequest(model=model_name, messages=messages, stream=False)
        library = self._library()
        return self._fixing.chosen(request, client, library, model)

    def still(self, served: Served) -> bool:
        """True when the turn was served with the very skills it would get now. The number of the
        generation does not tell: its conversation may be older, or have gone without a skill by
        chance."""
        chosen = self.skills(served)
        had = {skill.sha256 for skill in served.turn.skills}
        return chosen is not None and had == {skill.sha256 for skill in chosen}

    def still_meant(self, served: Served) -> bool:
        """True while nothing that concerns the turn was approved or taken back since: what a person
        said there was said to the library as it is. Which skills stand beside the one that is meant
        drifts with every request that went well, and says nothing about that."""
        chosen = self.skills(served)
        if chosen is None:
            return False
        had = {skill.sha256 for skill in served.turn.skills} | served.left_out
        client = _client(served)
        room = self._library().room(client.name, apart=client.apart)
        in_force = {skill.sha256 for skill in (*room.pinned, *room.skills.values())}
        news = (skill for skill in chosen if skill.sha256 not in had)
        return had <= in_force and all(skill.since <= served.known for skill in news)


def clean(message: Message) -> Message:
    """The message without anything that Lull may have put in."""
    parts = tuple(replace(part, text=strip_injected(part.text)) for part in message.parts)
    return replace(message, parts=parts)


def first_request(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The conversation up to its first user message: skills are chosen there, for all of it."""
    for number, message in enumerate(messages, 1):
        if message.role is Role.USER:
            return messages[:number]
    return messages


def _client(served: Served) -> Client:
    return Client(name=served.client, apart=served.apart)
