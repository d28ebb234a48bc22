"""Chooses which skills (instruction texts) of the library fit a request: by relevance, past use and
free space in the context window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Protocol

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.context_window import DEFAULT_WINDOW, TokenRate, reply_reserve
from lull.core.chat.messages import ChatRequest
from lull.core.chat.trajectory import NOTHING_KNOWN
from lull.core.proof.holdout import Toss
from lull.core.skills.ports import SkillIndex
from lull.core.skills.skill import Library, Skill, SkillKey
from lull.core.skills.skill_ranking import RetrievalRule, SkillChoice, choose, ranked
from lull.loops.chat.selected_skills import SelectedSkills

CANDIDATES_PER_PLACE = 2
"""How many skills are considered for each skill that may go into a prompt."""


class SkillHoldout(Protocol):
    """Interface to the measured effects of skills (instruction texts): which skills to leave out at
    random, which to prefer, and by how much each one helps.
    """

    def leaves_out(self, skill: Skill, trajectory: str, client: Client) -> Toss | None:
        """Flip a coin whether to leave a skill out of a conversation's prompt, so that its effect
        can be measured; return the coin flip's result.

        None for a skill that is not measured this way.
        """

    def prefers(self, skills: Sequence[Skill], at_most: int, asked: str) -> Sequence[Skill]:
        """Choose at most `at_most` skills for the prompt of the request `asked` out of these, which
        are all relevant to it, the most relevant first. Past effects may decide which go in, beside
        the most relevant one.
        """

    def effect(self, skill: Skill) -> float:
        """Return the estimated difference that the skill makes to the mean reward (0 to 1) of
        answers; 0 where none is known.
        """


class NoHoldout:
    """A SkillHoldout without measurements: it leaves no skill out at random, prefers the most
    relevant skills and knows no effects. Implements `SkillHoldout`.
    """

    def leaves_out(self, _: Skill, __: str, ___: Client) -> Toss | None:
        return None

    def prefers(self, skills: Sequence[Skill], at_most: int, _: str) -> Sequence[Skill]:
        return skills[:at_most]

    def effect(self, _: Skill) -> float:
        return 0.0


class _AllIn:
    """SkillHoldout that leaves no skill out at random, and else says what another one says."""

    def __init__(self, holdout: SkillHoldout) -> None:
        self.prefers = holdout.prefers
        self.effect = holdout.effect

    def leaves_out(self, _: Skill, __: str, ___: Client) -> Toss | None:
        return None


class ChooseSkills:
    """Chooses the skills (instruction texts) that fit a request, from those of its client."""

    def __init__(
        self,
        index: SkillIndex,
        rule: RetrievalRule,
        *,
        rates: Mapping[str, TokenRate],
        uses: Mapping[str, Mapping[SkillKey, int]],
        holdout: SkillHoldout,
    ) -> None:
        """`rates` holds each model's tokens per character (by model digest), `uses` how often each
        client used each skill; both change while requests are served.
        """
        self.rule = rule
        self._index = index
        self._rates = rates
        self._uses = uses
        self.holdout = holdout

    def without_holdout(self, index: SkillIndex | None = None) -> ChooseSkills:
        """Return a copy of this chooser of skills that never leaves one out at random; with `index`
        it searches that search index of skills instead of its own.
        """
        return ChooseSkills(
            index or self._index,
            self.rule,
            rates=self._rates,
            uses=self._uses,
            holdout=_AllIn(self.holdout),
        )

    def choose(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        model: ModelFacts,
        *,
        carried: SelectedSkills | None = None,
    ) -> SkillChoice:
        """Choose skills for a first turn, or those that may join a running conversation, in whose
        prompt are the skills `carried`.
        """
        own = library.skills_for(client.name, isolated=client.apart)
        if not own.skills:
            return SkillChoice(skills=(), why="no skill is active")
        there = (carried.shas if carried else frozenset()) | model.learned
        back = carried.unlearned_by(model) if carried else frozenset()
        since = carried.known if carried else NOTHING_KNOWN

        def joins(skill: Skill) -> bool:
            return (skill.since > since or skill.sha256 in back) and skill.sha256 not in there

        asked = request.newest_user_text
        words = self._index.lexical(asked, client=client, least=self.rule.lexical_floor)
        order = ranked(
            lexical=words,
            exemplars=self._index.exemplars(
                asked, client=client, least=self.rule.exemplar_floor, also=words
            ),
            kinds=self._index.kinds(asked, client=client, least=self.rule.kinds_floor),
            uses=self._uses.get(client.identity, {}),
            rule=self.rule,
        )
        general = [skill for skill in own.general if joins(skill)]
        lines = {skill.key: skill for skill in general}
        others = (s for k in order if k not in lines and (s := own.skills.get(k)))
        fits = (skill for skill in others if not skill.pinned and joins(skill))
        fitting = list(islice(fits, CANDIDATES_PER_PLACE * self.rule.at_most))
        if len(fitting) > self.rule.at_most:
            fitting = list(self.holdout.prefers(fitting, self.rule.at_most, asked))
        rate = self.token_rate(model, request)
        window = window_of(request, model)
        return choose(
            pinned=[skill for skill in own.pinned if joins(skill)],
            general=self._sheet(general),
            retrieved=[*fitting, *(lines[key] for key in order if key in lines)],
            window_tokens=window,
            prompt_tokens=rate.request_tokens(request) + rate.text_tokens(model.system),
            reply_tokens=reply_reserve(window, request.sampling.max_tokens),
            tokens_of=rate.text_tokens,
            rule=self.rule,
            spent_tokens=carried.tokens(rate) if carried else 0,
        )

    def _sheet(self, skills: Sequence[Skill]) -> Sequence[Skill]:
        """Sort the skills for every request by estimated effect, then by age."""
        return sorted(skills, key=lambda one: (-self.holdout.effect(one), one.since, one.name))

    def token_rate(self, model: ModelFacts | None, request: ChatRequest) -> TokenRate:
        """Return a model's average number of tokens per character of text: the measured rate, or a
        default.
        """
        return self._rates.get(model.digest if model else request.model, TokenRate())


def window_of(request: ChatRequest, model: ModelFacts | None) -> int:
    """Return the context window that applies to a request, in tokens.

    It is the one the client asked for, up to the model's longest, or else the model's default.
    """
    if request.window_tokens:
        longest = model.longest_tokens if model else None
        return min(request.window_tokens, longest or request.window_tokens)
    return (model.window_tokens if model else None) or DEFAULT_WINDOW
