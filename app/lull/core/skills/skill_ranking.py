"""Ranks skills (instruction texts) for a prompt: pinned ones first, then the few that clearly fit
the request.

The ranks of several retrievers are fused (reciprocal-rank fusion, Cormack et al., SIGIR 2009). But
a skill must first reach an absolute minimum score in one of them, because most small talk needs no
skill.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType

from lull.core.skills.past_requests import PastRequestScores
from lull.core.skills.prompt_block import BETWEEN, skills_block
from lull.core.skills.skill import Skill, SkillKey
from lull.core.skills.stated_skill import heading_and_line

RRF_K = 60
"""Constant k of reciprocal rank fusion (Cormack et al.); limits the weight of the very first
rank.
"""


NO_SCORES: Mapping[SkillKey, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRule:
    """The settings for choosing the skills of a prompt: minimum scores, weights, and how many
    tokens they may take.
    """

    at_most: int = 3
    """Most retrieved skills in a conversation; pinned ones do not count."""
    budget_tokens: int = 400
    budget_share: float = 0.08
    """Largest share of the context window, as the upstream really allocated it, for skills."""
    lexical_floor: float = 2.1
    """Least BM25 score in a library of one skill; in larger ones it grows with their logarithm."""
    exemplar_floor: float = 0.52
    """How strongly similar past requests must speak for a skill so that it is chosen, as the cosine
    similarity of one such request.
    """
    exemplar_veto: float = 0.1
    """How strongly similar past requests that went well without a skill must speak, as the cosine
    similarity of one such request, so that words shared with a skill do not count.
    """
    exemplar_weight: float = 2.0
    """Weight of a rank by similar past requests, against 1 for a rank by words; past help is the
    better evidence.
    """
    kinds_floor: float = 0.5
    """Least probability from which a user's rule for a kind of request is taken to apply to a
    request.
    """
    kinds_weight: float = 1.0
    usage_weight: float = 0.25
    sheet_share: float = 0.6
    """Share of the token budget for skills that apply to every request; the rest is for skills that
    fit the request at hand.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillChoice:
    """The skills that were chosen for a conversation's prompt, and why others were not."""

    skills: tuple[Skill, ...]
    why: str
    """Why no skill was chosen, or which were left out for want of room; "" if neither. `lull show`
    says it beside the skills of a conversation's first turn.
    """


def ranked(
    *,
    lexical: Mapping[SkillKey, float],
    exemplars: Mapping[SkillKey, float],
    uses: Mapping[SkillKey, int],
    rule: RetrievalRule,
    kinds: Mapping[SkillKey, float] = NO_SCORES,
) -> list[SkillKey]:
    """Return the skills for a request that reach the minimum score of at least one retriever, best
    first, by reciprocal-rank fusion. The arguments are each retriever's scores: `lexical` by shared
    words, `exemplars` by similar past requests (if clearly negative, shared words do not count),
    `kinds` by the kind of request.
    """
    strong_words = {
        key: score
        for key, score in lexical.items()
        if score >= rule.lexical_floor and exemplars.get(key, 0.0) > -rule.exemplar_veto
    }
    strong_memory = {k: s for k, s in exemplars.items() if s >= rule.exemplar_floor}
    strong_kinds = {k: s for k, s in kinds.items() if s >= rule.kinds_floor}
    candidates = strong_words.keys() | strong_memory.keys() | strong_kinds.keys()
    # Every candidate has a rank by use, so that this prior weighs less than one rank of relevance.
    prior = {key: float(uses.get(key, 0)) for key in candidates}
    scores = dict.fromkeys(candidates, 0.0)
    retrievers = (
        (1.0, strong_words),
        (rule.exemplar_weight, strong_memory),
        (rule.kinds_weight, strong_kinds),
        (rule.usage_weight, prior),
    )
    for weight, found in retrievers:
        rank, last = 0, None
        for key, score in sorted(found.items(), key=itemgetter(1), reverse=True):
            if score != last:
                rank, last = rank + 1, score
            scores[key] += weight / (RRF_K + rank)
    return sorted(scores, key=lambda key: (-scores[key], key))


_EMPTY_BLOCK = skills_block([""])

HELPED_FLOOR = 0.5
"""Least `PastRequestScores.helped` from which similar past requests bring a skill into a prompt,
while few requests are stored.
"""
HELPED_GROWTH = 0.08
"""Rise of HELPED_FLOOR each time the number of stored requests grows by a factor of e: among many
requests, more are alike by chance.
"""
REPEATED = 0.8
"""Least `PastRequestScores.helped` for a new request of few subject words: it must nearly repeat a
past request.
"""
CLEARLY_WANTED = 0.7
"""`PastRequestScores.wanted` from which a skill is chosen although other similar past requests
needed no skill.
"""


def past_request_score(scores: PastRequestScores, *, says_little: bool) -> float:
    """Score how well one skill fits a request, from similar past requests: the geometric mean of
    how strongly these speak for this skill and for any skill. 0 if either is too weak; negative if
    similar requests went well without a skill.

    `says_little` says that the request has few subject words; it must then nearly repeat a past
    one.
    """
    floor = HELPED_FLOOR + HELPED_GROWTH * math.log1p(scores.among)
    if says_little:
        floor = max(floor, REPEATED)
    clearly = scores.wanted >= CLEARLY_WANTED and not says_little
    if scores.helped < floor and not clearly:
        return min(scores.helped, 0.0)
    return math.sqrt(max(scores.wanted, 0.0) * max(scores.helped, scores.wanted))


def least_wanted(least: float, *, most_helped: float) -> float:
    """Return the least `PastRequestScores.wanted` (how strongly past requests speak for one skill)
    with which the skill's `past_request_score` can reach `least`; -inf if any value will do.
    `most_helped` is the most that past requests speak for using any skill.
    """
    if least <= 0:
        return -math.inf
    # √(wanted · max(helped, wanted)) ≥ least, with no more than most_helped for helped
    return min(least, least * least / most_helped) if most_helped > 0 else least


def choose(
    *,
    pinned: Sequence[Skill],
    general: Sequence[Skill] = (),
    retrieved: Sequence[Skill],
    window_tokens: int,
    prompt_tokens: int,
    reply_tokens: int,
    tokens_of: Callable[[str], int],
    rule: RetrievalRule,
    spent_tokens: int = 0,
) -> SkillChoice:
    """Choose the skills for a prompt within its token budget. The conversation's own history has
    priority: skills are left out rather than that history is cut.

    All counts are in tokens; `tokens_of` estimates a text's. `general` are the rules for every
    request, best proven first. At first they get at most `sheet_share` of the budget. Then come the
    skills that fit this request, and after them those rules that had no room, if there is room now:
    first those that are also in `retrieved`. `spent_tokens` is what the conversation's current
    skills already use.
    """
    left_tokens = window_tokens - prompt_tokens - reply_tokens - spent_tokens
    budget = min(rule.budget_tokens, int(window_tokens * rule.budget_share)) - spent_tokens
    allowed = min(budget, left_tokens)
    chosen: dict[SkillKey, Skill] = {}
    prices: dict[SkillKey, tuple[str, int, int]] = {}
    """The skill's heading, its cost alone, and its cost below that heading."""
    headings: set[str] = set()
    spent = tokens_of(_EMPTY_BLOCK)

    def take(skills: Iterable[Skill], most: int) -> None:
        nonlocal spent
        for skill in skills:
            if skill.key in chosen:
                continue
            if skill.key not in prices:
                prices[skill.key] = _prices(skill.body, tokens_of)
            heading, alone, below = prices[skill.key]
            price = below if heading in headings else alone
            if spent + price <= most:
                chosen[skill.key] = skill
                spent += price
                if heading:
                    headings.add(heading)

    lines = {skill.key for skill in general}
    take(pinned, allowed)
    take(general, int(allowed * rule.sheet_share))
    about = [skill for skill in retrieved if skill.key not in lines][: rule.at_most]
    take(about, allowed)
    take((skill for skill in retrieved if skill.key in lines), allowed)
    take(general, allowed)
    # By their keys, because hashing a skill hashes its whole text.
    wanted = {skill.key: skill for skill in (*pinned, *general, *about)}
    skills = tuple(chosen.values())
    if len(skills) == len(wanted):
        return SkillChoice(skills=skills, why="" if wanted else "no skill is about this")
    left_out = ", ".join(skill.name for key, skill in wanted.items() if key not in chosen)
    if left_tokens < budget:
        return SkillChoice(skills=skills, why=f"left out {left_out}: the window is nearly full")
    most = max(0, budget)
    return SkillChoice(skills=skills, why=f"left out {left_out}: {most} tokens are allowed")


def _prices(body: str, tokens_of: Callable[[str], int]) -> tuple[str, int, int]:
    alone = tokens_of(BETWEEN + body)
    line = heading_and_line(body.strip())
    return (line[0], alone, tokens_of(f"\n{line[1]}")) if line else ("", alone, alone)
