"""Finds the skills (instruction texts) from the user's library that a stored request would get if
it were sent today.

This is needed to separate the turns that taught a skill from those that may train the weights, to
replay past requests, and to ignore failures that today's skills would no longer cause.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.messages import ChatRequest, Message, Role
from lull.core.provenance.authorship import strip_injected
from lull.core.skills.kind_rules import kind_rule_of_text
from lull.core.skills.ports import KindMatch, LibraryInUse
from lull.core.skills.prompt_block import Placement
from lull.core.skills.skill import Skill, SkillText
from lull.loops.chat.select_skills import SelectSkills
from lull.store.feedback.reward_rows import ServedTurn


class CurrentSelection:
    """Repeats the choice of skills (instruction texts) for stored requests, with today's skill
    library.
    """

    def __init__(
        self,
        fixing: SelectSkills,
        *,
        in_use: LibraryInUse,
        facts: Callable[[str], ModelFacts | None],
        kinds: KindMatch,
    ) -> None:
        """The function `facts` returns what is known of a model, by the name its client typed."""
        self._kinds = kinds
        self._fixing = fixing
        self._in_use = in_use
        self._facts = facts

    def skills(self, served: ServedTurn, *, by_base: bool = False) -> tuple[Skill, ...] | None:
        """Return the skills (instruction texts) that the first request of a stored conversation
        would get in its prompt today; with `by_base`, as if the base model answered it, without an
        adapter that has learned some of the skills.

        None if nothing is known now of the conversation's model.
        """
        client = _client(served)
        if not self._in_use.library.skills_for(client.name, isolated=client.apart).skills:
            return ()
        model = self._facts(served.turn.model)
        if model is None:
            return None
        if by_base:
            model = replace(model, learned=frozenset())
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
        """Return the skills (instruction texts) that a new conversation with these messages would
        get.
        """
        request = ChatRequest(model=model_name, messages=messages, stream=False)
        library = self._in_use.library
        return self._fixing.skills_for_new_chat(request, client, library, model)

    def may_apply(self, text: SkillText, served: ServedTurn) -> bool:
        """Whether a proposed skill (an instruction text), once approved, may be in the prompt of
        the first request of a stored conversation; it is not if it states a rule for one kind of
        request, such as e-mails, and this request is of another.
        """
        rule = kind_rule_of_text(text)
        if rule is None:
            return True
        first = first_request(served.turn.request)
        asked = ChatRequest(model=served.turn.model, messages=first, stream=False).newest_user_text
        likely = self._kinds.kind_probability(rule, asked)
        return likely is None or likely >= self._fixing.rule.kinds_floor

    def place(self, model_name: str) -> Placement:
        """Return where in a model's prompts Lull puts skills: in the system text or in a user
        message.
        """
        model = self._facts(model_name)
        return Placement.SYSTEM if model is None else self._fixing.place(model)

    def selects_same_skills(self, served: ServedTurn) -> bool:
        """Whether a stored turn would get exactly the same skills (instruction texts) in its prompt
        today.

        Comparing versions of the skill library is not enough: the conversation may be older, or a
        skill may have been left out at random.
        """
        chosen = self.skills(served)
        had = {skill.sha256 for skill in served.turn.skills}
        return chosen is not None and had == {skill.sha256 for skill in chosen}

    def feedback_still_applies(self, served: ServedTurn, *, said: ServedTurn | None = None) -> bool:
        """Whether the user's feedback on a stored turn still applies to today's skill library: all
        skills (instruction texts) of the turn are still active, and its prompt would get no skill
        approved since. What changed before the user spoke, in the turn `said`, does not matter.

        Skills that would be chosen differently for other reasons do not matter, because the ranking
        of skills changes with every request that goes well.
        """
        chosen = self.skills(served)
        if chosen is None:
            return False
        known = max(served.known, said.known) if said is not None else served.known
        if known == self._in_use.library.generation:
            return True
        had = {skill.sha256 for skill in served.turn.skills} | served.left_out
        client = _client(served)
        own = self._in_use.library.skills_for(client.name, isolated=client.apart)
        in_force = {skill.sha256 for skill in (*own.pinned, *own.skills.values())}
        news = (skill for skill in chosen if skill.sha256 not in had)
        return had <= in_force and all(skill.since <= known for skill in news)


def without_skill_text(message: Message) -> Message:
    """Return a copy of a message without the skill text that Lull had added to it."""
    parts = tuple(replace(part, text=strip_injected(part.text)) for part in message.parts)
    return replace(message, parts=parts)


def first_request(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return a conversation's messages up to the first user message; skills are chosen for
    these.
    """
    for number, message in enumerate(messages, 1):
        if message.role is Role.USER:
            return messages[:number]
    return messages


def _client(served: ServedTurn) -> Client:
    return Client(name=served.client, apart=served.apart)
