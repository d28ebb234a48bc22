"""The rule that a correction states, in the user's own words: the skill writer that needs no model.

"No, use dashes" becomes "When you write a list, use dashes." Nothing is invented: the lead-in is
taken off, a capital and a full stop are put on, and where the user named no situation, the one in
which they said it is named for them (see `situation`). What corrects a fact of this one answer
("no, the capital is Canberra") states no rule. Whether a text may become a skill at all (secrets,
addresses, commands) is the screening's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lull.core import wishes
from lull.core.corrections import Weight, weigh
from lull.core.courtesy import behind_courtesy
from lull.core.form import (
    about_form,
    bare,
    is_instruction,
    is_new_thing,
    names_form,
    speaks_abroad,
)
from lull.core.habits import habit_of, is_kind, is_of, on_it
from lull.core.lead_in import without_lead
from lull.core.norms import ENDS, norm_of
from lull.core.own_words import Sentence, plain, sentences
from lull.core.rule_name import skill_name
from lull.core.situation import Situation, asked_for, of_kind, situation_of, subject_of

READ_CHARACTERS = 4000
RULE_WORDS = 60
"""A longer sentence is a tale, no rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRule:
    name: str
    """1 to 64 of a-z, 0-9 and single hyphens, as the Agent Skills format has it."""
    description: str
    """When it applies."""
    body: str
    sentences: tuple[str, ...]
    """The user's own words in the body, verbatim."""
    standing: bool
    """Said to be meant for good ("always", "next time", "when you …"), not only by its form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    words: str
    """Verbatim, without lead-in and end stop."""
    standing: bool
    situation: Situation | None
    lead: str = ""
    """What must stand before the words so that they are a sentence: "do not", "use"."""
    tail: str = ""
    """What must stand behind them."""


_HEAD = re.compile(
    r"^(?P<how>when(?:ever)?|every time|each time|any time|if|before|after|where|for|in|with|on"
    r"|wenn"
    r"|immer wenn|f[üu]r|cuando|si|para|quand|pour|dans|bei"
    r"|beim)\s(?P<what>[^,;:]{2,90})[,;:]\s*(?P<rule>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_HOW_ABROAD = re.compile(r"(?:immer )?wenn|fur|beim?|cuando|si|para|quand|pour|dans")
_TAIL = re.compile(
    r"^(?P<rule>.+?)\s(?P<how>when(?:ever)?|every time|each time|before|if)"
    r" (?P<what>(?:you|i|we)\b[^,;:]{2,90})$",
    re.IGNORECASE | re.DOTALL,
)
_WHEN_ASKED = re.compile(
    r"^(?P<rule>[\w-]+ (?!.*[,;:]).{3,80}?),? (?:when(?:ever)?|every time|each time|if)"
    r" (?:i (?:ask(?: you)? for|want|need|request)|you (?:write|make|draft|give me))"
    r" (?P<kind>(?:an? )?[\w-]+(?: [\w-]+)?)$",
    re.IGNORECASE,
)
""" "Use dashes whenever I ask for a menu": the kind is named behind the rule."""
_FOR_KIND = re.compile(r"^(?:for|in) (?P<kind>[\w-]+s) (?P<rule>[a-z]+ .+)$", re.IGNORECASE)
""" "For recipes give grams", without a sign between."""
_COMPARED = re.compile(r"^(?:(?:much|a bit|a little|far) )?(?:\w{3,}er|(?:more|less) \w+)$")
_OURS = re.compile(r"^(?:in|for|on) (?:our|my|all) ([\w ]{2,40}?),? (?:we|i) (?=\w)", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\b(?:it|this|that|them|these|those)$", re.IGNORECASE)
_PLURAL = re.compile(r"^(?:[\w-]+ ){0,2}[\w-]+[^s]s$")
_TAIL_PLACE = re.compile(
    r"\s(in|for) ((?:all |any |every |my |our |your )?[\w-]+(?: (?:to|for|of) [\w -]+)?)$"
)
_WRITES = re.compile(
    r"^(?:you|i|we) (?:write|make|create|draft|compose|give(?: me)?|produce|prepare"
    r"|ask(?: you)? for"
    r"|want|need|request)\s+(?!to\b|in\b|for\b)(.+)$",
    re.IGNORECASE,
)
_ASKED_FOR = re.compile(
    r"^(?:i|we) (?:ask(?: you)? for|want|need|request) (?:an? |my |the )?([\w-]+(?: [\w-]+)?)$",
    re.IGNORECASE,
)
_DOES = re.compile(r"^(?:you|i ask you to|i tell you to|we)\s+(.+)$", re.IGNORECASE)
_NOT_TO = re.compile(r"^not to\s+(?=\w)", re.IGNORECASE)
_ALWAYS = re.compile(
    r"\b(?:always|never|immer|niemals|siempre|nunca|toujours|jamais)\b", re.IGNORECASE
)
_TALK = re.compile(
    r"^(?:(?:please|just) )*(?:do not|never|stop|quit|avoid|no more"
    r"|refrain from)(?: ever)? (?!worry|bother|mind)"
    r"(?:apologi[sz]\w*|explain\w*|translat\w*|repeat\w*|ask\w*|thank\w*|greet\w*|say\w*"
    r"|mention\w*|call\w*"
    r"|add\w*|includ\w*|start\w*|end\w*|us\w+|writ\w*|put\w*|giv\w*|answer\w*|round\w*"
    r"|abbreviat\w*|invent\w*"
    r"|guess\w*|mak\w+ up|be|being|shout\w*|prais\w*|flatter\w*|summari[sz]\w*|capitali[sz]\w*"
    r"|begin\w*)\b"
)
_THIS_ONE = re.compile(
    r"^(?:remove|drop|delete|cut|skip|leave out|replace|swap|move|change|fix|correct|put|undo)\b"
    r".*\b(?:the (?:last|first|second|third|fourth|next|previous) \w+|line \d+|this \w+|back)\b"
    r"|^(?:replace|swap|move|change|undo|revert|fix)\b"
)
"""Orders on a place in this one text."""
_ALWAYS_ABROAD = re.compile(r"\b(?:immer|nie|niemals|stets) (?:[\w-]+ ){0,5}?[\w-]+en$")
_NO_ORDER = re.compile(
    r"^(?:i|you|he|she|it|we|they|this|that|these|those|the|an?|my|your|our|his|her|their|there"
    r"|what|how"
    r"|why|when|where|who|which|is|are|am|was|were|do|does|did|can|could|will|would|should|must"
    r"|if|for"
    r"|in|on|at|with|without|as|not|no|yes|maybe|only|just|more|less|qq|[\w-]+(?:er|est))\b"
)
"""What an order does not open with: then an unknown first word is taken for its verb."""
_PER = re.compile(r"^(?:an?|one|two|three|\d+) [\w-]+ (?:per|for each|on each) \w+$")
_STATES = re.compile(r"\b(?:is|are|was|were|has|have|had|does|means|goes|go|should|will|can)\b")
"""A sentence with a verb of its own tells a fact."""
_BY_NAME = re.compile(
    r"^the (?:[\w-]+ ){0,3}(?:mood|tense|voice|spelling|format|system|style|form|tone|units?"
    r"|imperative)$"
)
_IT_MUST = re.compile(
    r"^it (?:should|must|has to|needs to) (?:be|start|end|begin) (?:an? |in |with |at )"
)
_CONTRAST = re.compile(r"^[\w -]{2,40}(?:,| and| but)? not [\w -]{2,40}$")
_PLACE = re.compile(r"^(?:in|without|with|as) ")
_AS_SAID = re.compile(
    r"^as (?:\w+ ){1,4}(?:says?|said|wrote|writes|states?|stated|mentioned|told|shows?|showed|does"
    r"|did|explained|put it)\b"
)
""" "As the page says": whose words follow is another question, and they are no form."""


def stated_rule(correction: str, *, asked: str) -> StatedRule | None:
    """The rule that these words state, for requests like `asked`; None where they state none.

    `correction` and `asked` are the user's own messages, without anything that Lull put in.
    """
    said = _all_said(correction, asked)
    if not said:
        return None
    own = next((rule.situation for rule in said if rule.situation), None)
    situation = own or situation_of(asked)
    return StatedRule(
        name=_name(situation, said),
        description=situation.description,
        body=_body(said, situation.lead),
        sentences=tuple(rule.words for rule in said),
        standing=any(rule.standing for rule in said),
    )


def _all_said(correction: str, asked: str) -> list[_Said]:
    """Every rule in it. A lead-in that is a sentence of its own ("Not like that:") leads the
    next."""
    said: list[_Said] = []
    standing = led = False
    for sentence in sentences(correction[:READ_CHARACTERS]):
        words, lasts, opened = without_lead(sentence.text)
        standing, led = standing or lasts, led or opened
        if words:
            if rule := _said(sentence, words, asked, standing=standing, led=led):
                said.append(rule)
            standing = led = False
    return said


def _said(sentence: Sentence, words: str, asked: str, *, standing: bool, led: bool) -> _Said | None:
    """The rule in one sentence, its lead-in taken off."""
    asks = _WHEN_ASKED.match(words)
    if asks is None and (asks := _FOR_KIND.match(words)) and not is_instruction(asks["rule"]):
        asks = None
    if asks:
        return _of_it(asks["rule"], of_kind(re.sub(r"^an? ", "", asks["kind"])))
    if not words or len(words.split()) > RULE_WORDS:
        return None
    if sentence.asked and not led:
        return None
    heard = sentences(words)
    if not heard:
        return None
    clauses = [clause for part in heard for clause in part.clauses]
    habit = habit_of(words, led=led or standing or is_of(words, asked))
    if norm := habit or norm_of(words, led=led or standing) or norm_of(sentence.text):
        kind = of_kind(norm.kind) if norm.kind else None
        return _Said(words=norm.words, standing=True, situation=kind, lead=norm.lead)
    head = _HEAD.match(words)
    if head and _is_wished(head["rule"]) and (wishes.states_rule(clauses) or _abroad(head["how"])):
        if (named := _ASKED_FOR.match(head["what"])) and on_it(head["rule"]):
            return _of_it(head["rule"], of_kind(named[1]))
        situation = _named(head["how"], head["what"])
        return _Said(words=words, standing=True, situation=situation)
    if inside := _OURS.match(words):
        return _Said(words=words, standing=True, situation=asked_for(inside[1]))
    tail = _TAIL.match(words)
    if (
        tail
        and _is_wished(tail["rule"])
        and tail["how"].lower() != "before"
        and not _POINTS_BACK.search(tail["what"])
    ):
        situation = _named(tail["how"], tail["what"])
        return _Said(words=words, standing=True, situation=situation)
    if tail and tail["how"].lower() == "before" and _is_wished(tail["rule"]):
        return _Said(words=words, standing=True, situation=None)
    if behind := _behind_complaint(words):
        return _unsituated(behind, standing=standing, led=True)
    return _unsituated(words, standing=standing, led=led)


def _of_it(rule: str, situation: Situation) -> _Said:
    """What is to be done with "it" when it is asked for, without the "it"."""
    lead, words, tail = on_it(rule) or ("", rule, "")
    return _Said(words=words, standing=True, situation=situation, lead=lead, tail=tail)


def _behind_complaint(words: str) -> str:
    """ "That's too abstract, always give an example": the wish behind the complaint."""
    found = re.match(r"^([^,;:]{3,80})(?:[,;:]|\s[-–—])\s+(?:so |and |please |just )*(.+)$", words)
    if found is None:
        return ""
    first = plain(found[1])
    wished = is_instruction(first) or wishes.is_lasting(first)
    return "" if wished or weigh(first, alone=True, first=True) < Weight.STORY else found[2]


def _unsituated(words: str, *, standing: bool, led: bool) -> _Said | None:
    if behind_courtesy(plain(words)) is not None:
        return None
    negated = _NOT_TO.match(words)
    said = f"do not {words[negated.end() :]}" if negated else words
    text = plain(said)
    lasting = (
        wishes.is_lasting(text)
        or _ALWAYS_ABROAD.search(text)
        or (_ALWAYS.search(words) and is_instruction(text))
    )
    standing = standing or bool(lasting)
    lead = ""
    if negated:
        words, lead = words[negated.end() :], "do not "
    elif not (_is_rule(text, standing=standing) or (led and ENDS.match(text))):
        lead_in = _fragment_lead(text, led=led, standing=standing)
        if lead_in is None:
            return None
        lead = lead_in
    if negated and not _is_rule(text, standing=standing):
        return None
    return _Said(words=words, standing=standing, situation=_placed(words), lead=lead)


def _is_rule(text: str, *, standing: bool) -> bool:
    """An instruction that is meant to last, by its words or because it is about form."""
    if _THIS_ONE.match(bare(text)) and not standing:
        return False
    if wishes.is_lasting(text) or _ALWAYS_ABROAD.search(text):
        return True
    if standing and (is_instruction(text) or not _NO_ORDER.match(text)):
        return not is_new_thing(text) or names_form(text)
    if is_new_thing(text) or wishes.adds(text):
        return False
    if _TALK.match(text) or about_form(text):
        return True
    return bool(_IT_MUST.match(text)) and names_form(text)


def _fragment_lead(text: str, *, led: bool, standing: bool) -> str | None:
    """What a wish without a verb lacks; None where the words are no such wish.

    `led`: something before it said that this is how it should be ("not like that: …").
    """
    words, led = text.split(), led or standing
    if _COMPARED.match(text):
        return "keep it " if standing else None  # "shorter, please" is about this one
    if wishes.JUST_THIS.match(text) or _PER.match(text):
        return ""
    if not names_form(text) or len(words) > 9 or is_new_thing(text) or is_instruction(text):
        return None
    if _PLACE.match(text):
        if (not led and len(words) > 5) or _AS_SAID.match(text):
            return None
        return "" if speaks_abroad(text) else "do it "
    if led and _BY_NAME.match(text):
        return "use "
    if _STATES.search(text) and not standing:
        return None
    if words[0] == "no" and wishes.NO_THING.match(text):
        return ""
    if _CONTRAST.match(text) and names_form(words[0]):
        return "use "
    if text.startswith(("only ", "just ")) or wishes.is_bare_form(text):
        return ""
    started = words[0] in ("i", "you", "it", "that", "this", "the", "there", "my", "your", "we")
    if not led or started:
        return None
    plural = len(words) <= 3 and _PLURAL.match(text) and names_form(words[-1])
    return "use " if plural or words[0] in ("a", "an") else ""


def _is_wished(rule: str) -> bool:
    text = plain(rule)
    return bool(
        is_instruction(text)
        or wishes.NO_THING.match(text)
        or wishes.DO_NOT.match(text)
        or (names_form(text) and not re.match(r"(?:what|how|why|is|are|do|does|can)\b", text))
    )


def _abroad(how: str) -> bool:
    return _HOW_ABROAD.fullmatch(plain(how)) is not None


def _named(how: str, what: str) -> Situation:
    """The situation that the user named."""
    what = what.strip()
    if how.lower() == "for" or (how.lower() == "in" and is_kind(what)):
        return asked_for(what)
    if found := _WRITES.match(what):
        return asked_for(found[1])
    if (found := _DOES.match(what)) and is_instruction(plain(found[1])):
        return Situation(
            lead="", description=f"When the user asks to {found[1]}.", subject=subject_of(found[1])
        )
    return Situation(lead="", description=f"{_capital(how)} {what}.", subject=subject_of(what))


def _placed(words: str) -> Situation | None:
    """ "… in letters to customers": a place that is no sign and no unit is a situation."""
    found = _TAIL_PLACE.search(words)
    if found is None:
        return None
    thing = re.sub(r"^(?:all|any|every|my|our|your) ", "", found[2])
    head = plain(thing).split(" ")[0]
    if (
        (names_form(head) and " to " not in thing)
        or not re.search(r"[^s]s$", head)
        or head.endswith(("ings", "ness"))
    ):
        return None
    return Situation(
        lead="", description=f"When the user asks for {thing}.", subject=subject_of(thing)
    )


# -- putting it together -----------------------------------------------------------------------


def _body(said: list[_Said], lead: str) -> str:
    """One sentence for each rule; the situation opens the first."""
    first, *more = (
        f"{rule.lead}{_small(rule.words) if rule.lead else rule.words}{rule.tail}" for rule in said
    )
    opened = first
    if lead:
        # A German noun keeps its capital.
        opened = f"{lead} {first}" if lead.endswith(":") else f"{lead}, {_small(first)}"
    return " ".join(_as_sentence(text) for text in (opened, *more))


def _as_sentence(text: str) -> str:
    text = text.strip()
    return _capital(text) if text.endswith((".", "!", "?", ".”", '."')) else f"{_capital(text)}."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _small(text: str) -> str:
    """A small letter in the middle of a sentence; "I" and "JSON" keep theirs."""
    first = re.split(r"\W", text, maxsplit=1)[0]
    keeps = first == "I" or (len(first) > 1 and first[1:] != first[1:].lower())
    return text if keeps else f"{text[:1].lower()}{text[1:]}"


def _name(situation: Situation, said: list[_Said]) -> str:
    first = said[0]
    found = (_HEAD.match(first.words) or _TAIL.match(first.words)) if first.situation else None
    return skill_name(situation.subject, found["rule"] if found else f"{first.lead}{first.words}")
