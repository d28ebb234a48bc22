"""Screens a proposed skill (an instruction text) for suspicious content: whether it may be tested
and shown to the user, or goes into quarantine.

Every finding becomes a flag in words for the user. A flag of severity `quarantine` prevents the
test on past requests and any approval except the user's own, after reading. Suspicious words that
the user typed give a flag to look at; the same words from a web page or a model put the skill into
quarantine. A few things are forbidden to everyone: secrets, invisible characters, and marks that
would end the block of skills in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.core.errors import SkillError
from lull.core.provenance.authorship import Author, AuthoredSpan, SpanPlace
from lull.core.provenance.enclosed import quotations
from lull.core.provenance.flags import FlagKind
from lull.core.provenance.pasted import QuotationSign, quotation_sign
from lull.core.provenance.provenance import Provenance, SourceTurns, sources_of, trace
from lull.core.provenance.readings import hidden_readings
from lull.core.provenance.redaction import redact_text
from lull.core.provenance.risky_text import risks, role_marks
from lull.core.skills.skill import SkillText, check_text
from lull.core.skills.word_overlap import sentences, subjects
from lull.core.text.unicode_safety import (
    has_bidi_controls,
    hidden_characters,
    lookalike_words,
    normalised_text,
)


class Severity(StrEnum):
    """How serious a finding in a proposed skill is; quarantine keeps the skill out of every
    prompt.
    """

    NOTE = "note"
    WARNING = "warning"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A finding in a proposed skill, as the review shows it to the user."""

    kind: FlagKind
    text: str
    """Description of the finding for the user."""
    quote: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """The result of searching a proposed skill for dangers, and the source of each of its
    sentences.
    """

    flags: tuple[Flag, ...]
    """Findings of the screening, worst first."""
    provenance: tuple[Provenance, ...]
    """The source of each sentence of the skill, description first."""

    @property
    def quarantined(self) -> bool:
        """Whether a finding is so serious that the skill may enter no prompt."""
        return any(flag.severity is Severity.QUARANTINE for flag in self.flags)


QUOTE_LIMIT: Final = 160
_ALLOWED_KEYS: Final = frozenset({"license", "compatibility"})
_KEY: Final = re.compile(r"(?m)^([^\s:#-][^:\n]{0,80}?)\s*:")
_GRANTS: Final = re.compile(
    r"(?i)allowed?[-_ ]?tools?|permission|hooks?|sandbox|trust|approv|model$|mcp"
)
_WORD: Final = re.compile(r"\w+")
MOST_NAMED: Final = 4
"""Most words between quotation marks that count as named by the user, not as a quotation."""
_WHOSE: Final = {
    SpanPlace.PASTED: "text pasted into your message",
    SpanPlace.TOOL: "a tool's result, a file or a page",
    SpanPlace.ANSWER: "an earlier answer in the history",
    SpanPlace.SYSTEM: "the chat app's own system prompt",
    SpanPlace.TYPED: "your words",
}
_ORDER: Final = (Severity.QUARANTINE, Severity.WARNING, Severity.NOTE)


def screen(text: SkillText, *, spans: Sequence[AuthoredSpan], mine: bool = False) -> Screening:
    """Screen a proposed skill: return flags for suspicious content (some mean quarantine), and who
    wrote each of its sentences in the conversation turns that it comes from.

    `spans` are the texts of all these turns, by author. `mine`: the skill is the user's own words
    inside a fixed sentence of Lull's, and no model wrote any of it; only then are some checks left
    out.
    """
    sources = sources_of(spans)
    found = trace(text, sources, mine=mine)
    flags = [
        *_of_format(text),
        *_of_characters(text),
        *_of_secrets(text),
        *_of_risks(text, sources),
        *_of_sources(found),
        *_of_surroundings(text, found, sources),
        *([] if mine else _of_authorship(text, found, sources)),
    ]
    return _sorted(flags, found)


def _sorted(flags: Sequence[Flag], found: tuple[Provenance, ...]) -> Screening:
    """Worst first, without duplicates."""
    unique = {(flag.kind, flag.quote): flag for flag in sorted(flags, key=_rank, reverse=True)}
    return Screening(flags=tuple(sorted(unique.values(), key=_rank)), provenance=found)


def screen_file(
    text: SkillText,
    *,
    approved: SkillText | None = None,
    beside: Sequence[str] = (),
    secret_beside: str = "",
) -> Screening:
    """Screen a skill text that comes from a file for suspicious content. Whoever wrote it, it
    counts as not approved.

    Only what also stands word for word in the `approved` text, which this one would replace, counts
    as the user's. `beside`: names of the other files in its folder; `secret_beside`: where one of
    them contains a password or a key.
    """
    own = [] if approved is None else [_span(approved, Author.USER, SpanPlace.TYPED)]
    known = frozenset(_sentences(approved) if approved is not None else ())
    found = tuple(
        Provenance(sentence=one, source=Author.USER if one in known else Author.UNTRUSTED)
        for one in _sentences(text)
    )
    strange = [one.sentence for one in found if one.source is not Author.USER]
    flags = [*_of_format(text), *_of_characters(text), *_of_secrets(text)]
    flags += _of_risks(text, sources_of(own))
    if strange:
        many = "This sentence comes" if len(strange) == 1 else f"{len(strange)} sentences come"
        why = f"{many} from a file, and nobody knows who wrote it."
        flags.append(_flag(FlagKind.UNTRUSTED, why, strange[0]))
    if beside:
        why = "There are other files next to it. They are kept, and Lull never runs or reads them."
        flags.append(_flag(FlagKind.FORMAT, why, ", ".join(beside), Severity.NOTE))
    if secret_beside:
        why = "A file next to it contains a password or a key. Take it out before you approve."
        flags.append(_flag(FlagKind.SECRET, why, secret_beside))
    return _sorted(flags, found)


def screen_typed(text: SkillText) -> Screening:
    """Return what looks suspicious in a skill text that the user typed. The findings are only
    shown; the text takes effect all the same.
    """
    return screen(text, spans=(_span(text, Author.USER, SpanPlace.TYPED),), mine=True)


def _sentences(text: SkillText) -> tuple[str, ...]:
    return (*sentences(text.description), *sentences(text.body))


def _span(text: SkillText, origin: Author, place: SpanPlace) -> AuthoredSpan:
    return AuthoredSpan(text=_whole(text), origin=origin, turn="", place=place)


def _rank(flag: Flag) -> int:
    return _ORDER.index(flag.severity)


def _flag(kind: FlagKind, text: str, quote: str, severity: Severity = Severity.QUARANTINE) -> Flag:
    short = quote if len(quote) <= QUOTE_LIMIT else quote[: QUOTE_LIMIT - 1] + "…"
    return Flag(kind=kind, text=text, quote=normalised_text(short), severity=severity)


def _whole(text: SkillText) -> str:
    return f"{text.name}\n{_told(text)}"


def _told(text: SkillText) -> str:
    """All of a skill's text but its name."""
    # A name says of each line below it what it is.
    fields = (
        f"{key}: {line}" for key, value in text.metadata.items() for line in value.split("\n")
    )
    return "\n".join((text.description, text.body, text.extra, *fields))


# Forbidden to everyone


def _of_format(text: SkillText) -> Iterator[Flag]:
    try:
        check_text(text)
    except SkillError as error:
        yield _flag(FlagKind.FORMAT, f"{error.detail} {error.hint}", text.name)
    for key in _KEY.findall(text.extra):
        if _GRANTS.search(key):
            why = f"It sets `{key}`: a skill may not grant tools or permissions."
            yield _flag(FlagKind.PERMISSION, why, key)
        elif key not in _ALLOWED_KEYS:
            yield _flag(FlagKind.FORMAT, f"`{key}` is only allowed under `metadata`.", key)
    for key in text.metadata:
        if _GRANTS.search(key):
            yield _flag(FlagKind.PERMISSION, f"Its metadata sets `{key}`.", key)


def _of_characters(text: SkillText) -> Iterator[Flag]:
    whole = _whole(text)
    hidden = hidden_characters(whole)
    if hidden:
        kind = (
            "characters that reverse the reading order"
            if has_bidi_controls(whole)
            else "characters that cannot be seen"
        )
        yield _flag(FlagKind.HIDDEN, f"It holds {kind}: {', '.join(hidden[:5])}.", hidden[0])
    for word in lookalike_words(whole):
        why = f"'{word}' mixes look-alike letters from two scripts."
        yield _flag(FlagKind.LOOKALIKE, why, word)
    told = _told(text)
    said = (normalised_text(told), *hidden_readings(told))
    for mark in dict.fromkeys(mark for one in said for mark in role_marks(one)):
        why = (
            "It contains a mark that a model may mistake for the end of the rules or a change of "
            "speaker."
        )
        yield _flag(FlagKind.MARKUP, why, mark)


def _of_secrets(text: SkillText) -> Iterator[Flag]:
    whole = _whole(text)
    said = (whole, *hidden_readings(whole))
    if any(redact_text(one, lambda kind, secret: 1) != one for one in said):
        yield _flag(FlagKind.SECRET, "It contains a password or a key.", "")
    elif "⟨secret:" in whole:
        why = "A password or key in it was replaced by a placeholder."
        yield _flag(FlagKind.SECRET, why, "⟨secret:", Severity.WARNING)


# Depends on who said it


def _of_risks(text: SkillText, sources: SourceTurns) -> Iterator[Flag]:
    read = "\n".join(read.span.text for read in sources.typed)
    typed = _plain("\n".join((read, *hidden_readings(read))))
    told = _told(text)
    found = list(risks(normalised_text(told)))
    hidden = (risk for said in hidden_readings(told) for risk in risks(said))
    found += [risk for risk in hidden if risk.kind is not FlagKind.ENCODED]
    for risk in found:
        own = _plain(risk.quote) in typed
        why = f"{risk.why}, typed by you." if own else f"{risk.why} that you never typed."
        yield _flag(risk.kind, why, risk.quote, Severity.NOTE if own else Severity.QUARANTINE)


def _plain(text: str) -> str:
    return " ".join(normalised_text(text).lower().split())


def _of_sources(found: Sequence[Provenance]) -> Iterator[Flag]:
    for one in found:
        if one.span is None or one.source is Author.USER:
            continue
        whose = _WHOSE[one.span.place]
        why = f"This comes from {whose}, not from you."
        strange = one.source is Author.UNTRUSTED
        severity = Severity.QUARANTINE if strange else Severity.WARNING
        yield _flag(FlagKind.UNTRUSTED, why, one.sentence, severity)


def _of_surroundings(
    text: SkillText, found: Sequence[Provenance], sources: SourceTurns
) -> Iterator[Flag]:
    """Flags about the messages that the words were typed in."""
    said = {one.span for one in found}
    for one in (*found, *trace(text, sources)):
        typed = one.span if one.source is Author.USER else None
        # Text that was approved or edited has no turn: the user has read it.
        sign = quotation_sign(typed.text) if typed is not None and typed.turn else None
        if typed is None or sign is None:
            continue
        marks = sign is QuotationSign.MARKS and sources.outside is None
        if marks and not _quotes(one.sentence, typed.text):
            continue  # the user's own sentence, which names some words: end with "Cheers"
        which = "Your message" if typed in said else "Your request, which is its example,"
        why = f"{which} has several lines: check that the words are yours."
        if sign is QuotationSign.COLON:
            why = f"{which} has a colon: check that the words are yours."
        elif sign is QuotationSign.MARKS:
            why = f"{which} has quotation marks: check that the words are yours."
        severity = Severity.WARNING if typed in said else Severity.NOTE
        yield _flag(FlagKind.PERHAPS_QUOTED, why, one.sentence, severity)
    if sources.outside is not None:
        whose = _WHOSE[sources.outside.place]
        why = f"The same conversation contains {whose}."
        yield _flag(FlagKind.STRANGERS_NEAR, why, "", Severity.NOTE)


def _quotes(sentence: str, text: str) -> bool:
    """Whether the quotation marks of a text may hold what somebody else said: more than a few words
    that the user names, such as a greeting, or all words of a sentence.
    """
    inside = [text[start + 1 : end - 1].strip() for start, end in quotations(text)]
    named = set(_WORD.findall(" ".join(inside).casefold()))
    short = all(len(one.split()) <= MOST_NAMED and one[-1:] not in ".!?" for one in inside)
    return not inside or not short or set(_WORD.findall(sentence.casefold())) <= named


def _of_authorship(
    text: SkillText, found: Sequence[Provenance], sources: SourceTurns
) -> Iterator[Flag]:
    """A model that read a stranger's text may retell it in words that no comparison finds; so near
    such a text, the user's words after the answer must support what the model wrote."""
    made = [one.sentence for one in found if one.source is Author.MODEL]
    if not made:
        return
    many = "These words are" if len(made) == len(found) else f"{len(made)} sentences are"
    yield _flag(FlagKind.MODEL_WORDS, f"{many} the model's.", made[0], Severity.NOTE)
    copied = next((one.span for one in found if one.source is Author.MODEL and one.span), None)
    near = sources.outside or copied
    if near is None:
        return
    why = f"The model had read {_WHOSE[near.place]}, and nothing you said supports this."
    # If the user said nothing at all, there is nothing to compare with.
    unasked = sources.replied and not subjects(text.body) & sources.reply
    severity = Severity.QUARANTINE if unasked else Severity.WARNING
    # If the body contains none of the user's words, the description is suspect, too.
    orders = [sentence for sentence in made if unasked or sentence in text.body]
    for sentence in orders:
        if not subjects(sentence) & sources.reply:
            yield _flag(FlagKind.INFLUENCE, why, sentence, severity)
