"""Which skills go into a prompt: pinned first, then the few that are surely about it.

Ranks from several retrievers are fused (reciprocal-rank fusion, Cormack et al., SIGIR 2009), but
a skill must first pass an absolute floor in one of them: most small talk is about no skill.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from types import MappingProxyType

from lull.core.feedback.stated_skill import sheet_line
from lull.core.injection import BETWEEN, block
from lull.core.skill import Skill, SkillKey

RRF_K = 60
"""Cormack et al.; damps how much the very first rank weighs."""


NO_SCORES: Mapping[SkillKey, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRule:
    """The numbers of LEARNING's injection rule; each is a setting."""

    at_most: int = 3
    """Retrieved skills a trajectory; pinned ones do not count."""
    budget_tokens: int = 400
    budget_share: float = 0.08
    """Of the window that the upstream really allocated."""
    lexical_floor: float = 1.0
    """BM25 score, with background documents that keep it comparable between library sizes."""
    exemplar_floor: float = 0.35
    """Cosine to the nearest past request for which the skill was credited with a win. With n-gram
    vectors half of the alike requests lie below 0.45 (`python -m bench retrieval`)."""
    exemplar_weight: float = 2.0
    """Of a rank among past requests, against 1 for a rank by words: what helped before is the
    better witness."""
    kinds_floor: float = 0.5
    """Likelihood that a rule of the user's, said of a kind of request, holds for this one."""
    kinds_weight: float = 1.0
    usage_weight: float = 0.25
    sheet_share: float = 0.6
    """Of the budget, for what holds for every request; the rest is kept for what fits this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    skills: tuple[Skill, ...]
    why: str
    """Why it is empty, or what was left out; for `lull show`."""


def ranked(
    *,
    lexical: Mapping[SkillKey, float],
    exemplars: Mapping[SkillKey, float],
    uses: Mapping[SkillKey, int],
    rule: RetrievalRule,
    kinds: Mapping[SkillKey, float] = NO_SCORES,
) -> list[SkillKey]:
    """Skills above a floor, best first."""
    strong_words = {k: s for k, s in lexical.items() if s >= rule.lexical_floor}
    strong_memory = {k: s for k, s in exemplars.items() if s >= rule.exemplar_floor}
    strong_kinds = {k: s for k, s in kinds.items() if s >= rule.kinds_floor}
    candidates = strong_words.keys() | strong_memory.keys() | strong_kinds.keys()
    # Every candidate has a rank by use: only then is the prior less than one rank of relevance.
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
) -> Choice:
    """What fits. The user's own history always comes first: skills are dropped before it is cut.

    All counts in tokens; `tokens_of` estimates a text's. `general` are the lines of the preference
    sheet, the most proven first; they take at most `sheet_share` of what is allowed before what is
    about this request, and one that does not fit then may still join behind that, those of them
    that are in `retrieved` first. `spent_tokens` is what skills that this conversation carries
    already take of the room and of the budget.
    """
    room = window_tokens - prompt_tokens - reply_tokens - spent_tokens
    budget = min(rule.budget_tokens, int(window_tokens * rule.budget_share)) - spent_tokens
    allowed = min(budget, room)
    chosen: dict[SkillKey, Skill] = {}
    prices: dict[SkillKey, tuple[str, int, int]] = {}
    """The heading that it stands under, what it costs alone, and below that heading."""
    headings: set[str] = set()
    spent = tokens_of(block([""]))

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
    wanted = list(dict.fromkeys((*pinned, *general, *about)))
    skills = tuple(chosen.values())
    if len(skills) == len(wanted):
        return Choice(skills=skills, why="" if wanted else "no skill is about this")
    left_out = ", ".join(skill.name for skill in wanted if skill.key not in chosen)
    cause = "the window is nearly full" if room < budget else f"{max(0, budget)} tokens are allowed"
    return Choice(skills=skills, why=f"left out {left_out}: {cause}")


def _prices(body: str, tokens_of: Callable[[str], int]) -> tuple[str, int, int]:
    alone = tokens_of(BETWEEN + body)
    line = sheet_line(body.strip())
    return (line[0], alone, tokens_of(f"\n{line[1]}")) if line else ("", alone, alone)


# Words that carry no subject. Requests made of nothing else are small talk.
_STOP = frozenset(
    """
    a about above after again all also am an and any anything are as asks at be because been
    before being below between both but by bye can ciao come could day did do does doing don
    done down during each evening everything few fine for from further get give go good got
    great had hallo has have having he hello help her here hers hey hi him his hola how i if in
    into is it its just know let like make many may me might mine more morning most much must my
    need nice night no nor not now of off ok okay on once one only or other our ours out over
    own please question say see shall she should show so some something such sure talk tell than
    thank thanks that the their theirs them then there these they thing this those through thx
    to too up us use used user using very want was way we welcome well were what when whenever
    where which while who whom why will with would write yeah yes you your yours
    """.split()  # noqa: SIM905  a page of quotes would be harder to read
)
_CONTRACTED = frozenset(
    """
    ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren
    won wouldn wanted wants wanting gonna wanna gotta let
    """.split()  # noqa: SIM905
)
"""What is left of "doesn't", and its like."""
_COURTESY = frozenset(
    """
    aha appreciated awesome beaucoup bitte bom bonjour brilliant buenas buenos cheers danke dank
    gracias grazie guten haha hmm kidding lol lovely maybe mate merci mille morgen muchas nope oops
    tack vielen wow yay
    """.split()  # noqa: SIM905
)
"""Said between people in any language, and about no subject."""
_EMPTY = _STOP | _CONTRACTED | _COURTESY
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


_SHORT_WORD = 40
"""Longer runs of letters are no words of a language and not worth remembering."""


def terms(text: str) -> list[str]:
    """The subject words of a text, lower-cased and lightly stemmed; pairs of signs for scripts
    without spaces."""
    return list(_terms(text))


# The word index and the exemplar memory ask for the same text, one right after the other.
@lru_cache(maxsize=1)
def _terms(text: str) -> tuple[str, ...]:
    out: list[str] = []
    for word in _WORD.findall(text.lower()):
        out += _known_word(word) if len(word) <= _SHORT_WORD else _word(word)
    return tuple(out)


def _word(word: str) -> tuple[str, ...]:
    if _CJK.search(word):
        return tuple(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    plain = word.replace("’", "'").partition("'")[0]
    return (stem(plain),) if len(plain) > 1 and plain not in _STOP else ()


# The same few thousand words come again and again.
_known_word = lru_cache(maxsize=20_000)(_word)


_SPEAKERS = frozenset(
    """
    i i'm i'll i'd i've you you're we we're we'll it it's that's he she they
    """.split()  # noqa: SIM905
)
_TASKS = frozenset(
    """
    add answer build calculate change check clean code compare convert count create delete describe
    design draft edit explain extract fill find fix format generate give implement list make move
    name outline parse plan prepare print produce proofread put read refactor remove rename rephrase
    replace reply review rewrite run save schedule send set shorten show sort split spell summarise
    summarize test tell translate turn update use verify write
    """.split()  # noqa: SIM905
)
_ASKING = frozenset(("what", "which", "when", "where", "who", "why", "how", "can", "could"))
ASIDE_WORDS = 6
ASIDE_TERMS = 2


def is_aside(text: str) -> bool:
    """A short remark between people ("I'm off to lunch"), which asks for no skill: few words,
    hardly a subject, somebody spoken of, and nothing to be done."""
    found = islice(_WORD.finditer(text), ASIDE_WORDS + 1)  # a request may be a whole book
    words = [word.group().lower().replace("’", "'") for word in found]
    if len(words) > ASIDE_WORDS or not _SPEAKERS.intersection(words):
        return False
    wants = _TASKS.intersection(words) or words[0] in _ASKING
    return not wants and len(set(terms(text))) <= ASIDE_TERMS


def says_little(text: str) -> bool:
    """Too few subject words to tell what kind of thing is asked for, and nothing to be done."""
    if len(set(terms(text))) > ASIDE_TERMS:
        return False
    return not any(word.group().lower() in _TASKS for word in _WORD.finditer(text))


def stem(word: str) -> str:
    """Plural and verb endings off (after Harman's S stemmer, 1991, with -ing and -ed).

    Words that only look like a plural ("status") lose their s too: what counts is that two
    spellings of one word meet, and "menus" must meet "menu".
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word[: -len(ending)]
            return word[:-1] if len(word) > 2 and word[-1] == word[-2] != "l" else word
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
