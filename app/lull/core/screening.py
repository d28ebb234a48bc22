"""Whether a candidate may be proved and shown as a proposal, or goes into quarantine.

Every finding becomes a flag in words for the user. A flag of severity `quarantine` keeps the
candidate from being proved and from any approval but the user's own, made after reading it. Most
findings depend on who said the words (core/taint.py): what the user typed is at most noted, the
same from a page or made up by a model stops the candidate. Little is allowed to nobody: secrets,
unseen characters, marks that would end the block in the prompt.

The patterns stand in core/lures.py, the characters in core/characters.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lull.core.characters import (
    bare,
    feigned_words,
    has_bidi_controls,
    hidden_characters,
    readings,
)
from lull.core.errors import SkillError
from lull.core.flags import Allowed, FlagKind
from lull.core.heard import Sources, Statement, backed, sources_of, wished
from lull.core.lures import Lure, lures, speaks_for
from lull.core.orders import is_negated, is_order
from lull.core.redact import redact_text
from lull.core.skill import SkillText, check_text
from lull.core.taint import ASKED_FOR, HINTED, Provenance, body_sentences, traced
from lull.core.trust import Origin, Place, Span
from lull.core.wording import sentences, subjects, telling, undressed, words


class Severity(StrEnum):
    NOTE = "note"
    WARNING = "warning"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    kind: FlagKind
    text: str
    """In words for the user."""
    quote: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    flags: tuple[Flag, ...]
    """Worst first."""
    provenance: tuple[Provenance, ...]
    """Of each sentence, description first."""

    @property
    def quarantined(self) -> bool:
        return any(flag.severity is Severity.QUARANTINE for flag in self.flags)

    @property
    def untainted(self) -> bool:
        """True where nothing but notes stands against it and no sentence is a stranger's: what an
        approval without the user may ask for at least."""
        calm = all(flag.severity is Severity.NOTE for flag in self.flags)
        return calm and all(p.source is not Origin.UNTRUSTED for p in self.provenance)


QUOTE_LIMIT = 160
_ALLOWED_KEYS = frozenset({"license", "compatibility"})
_TRIGGER = re.compile(
    r"(?i)^(?:use (?:this|it|when|for)\b|apply|applies|when|whenever|if|for|on|in|wenn|bei|cuando|"
    r"quand|lorsque|当|在)[^,;:]{0,200}$"
)
_KEY = re.compile(r"(?m)^([^\s:#-][^:\n]{0,80}?)\s*:")
_GRANTS = re.compile(r"(?i)allowed?[-_ ]?tools?|permission|hooks?|sandbox|trust|approv|model$|mcp")
_LINK = re.compile(
    r"(?i)\b(?:https?|ftps?|file|ws|wss|ssh|mailto|tel|magnet|ipfs)://?[^\s<>\"')\]]+|"
    r"\bwww\.[^\s<>\"')\]]+"
    r"|\b(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?"
    r"|(?<![\w.-])(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|edu|gov|io|ai|app|dev|co|"
    r"me|info|biz|xyz|top|online|site|shop|store|"
    r"club|cloud|link|click|live|news|pro|tech|ru|cn|de|fr|es|it|uk|eu|us|ch|at|nl|pl|"
    r"br|in|jp|kr|tv|cc|ly|gg|"
    r"example|test|onion|tk|ml|su|to|ws|space|website|fun|icu|zip|mov)\b(?:/[^\s<>\"')\]]*)?"
    r"|\b[a-z0-9-]{2,} ?(?:\[\.\]|\(\.\)|\(dot\)|\[dot\]| dot ) ?(?:com|net|org|io|"
    r"dev|ai|app|example)\b"
)
_NO_LINK = frozenset(
    {"asp.net", "vb.net", "ado.net", "ml.net", "socket.io", "e.g", "i.e", "draw.io"}
)
_MAIL = re.compile(
    r"(?i)(?<![\w.+-])[\w.+-]{1,64} ?(?:@|\(at\)|"
    r"\[at\]) ?[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|(?<![\w@])@[a-z]\w{3,}\b(?!\.)"
)
_PHONE = re.compile(r"(?<![\w.])(?:\+\d|\(?0\d)[\d ()/.-]{6,16}\d(?![\w-])")
_BLOB = re.compile(
    r"(?<![\w+/=-])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*[A-Z])"
    r"(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{24,}={0,2}"
    r"|(?<![\w+/=-])(?=[A-Za-z0-9+/]*\d[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{36,}={0,2}"
    r"|(?<!\w)[0-9a-fA-F]{32,}(?!\w)|(?:\\x[0-9a-fA-F]{2}){4,}|"
    r"(?:\\u[0-9a-fA-F]{4}){4,}|(?:%[0-9a-fA-F]{2}){6,}|(?:&#x?\w{1,6};){4,}"
)
_WORDS_FOR = {
    FlagKind.MARKUP: "It holds marks that a model may take for the end of the rules or for a role.",
    FlagKind.COMMAND: "It holds a command or code to run.",
    FlagKind.PERMISSION: "It grants a permission, which no skill may.",
    FlagKind.OWN_RULES: "It is about the model's own rules.",
    FlagKind.CONCEALMENT: "It asks the model to hide something.",
    FlagKind.EXFILTRATION: "It asks the model to give away data.",
    FlagKind.PERSISTENCE: "It wants to be kept or to hold for everything.",
    FlagKind.AUTHORITY: "It claims somebody's authority.",
    FlagKind.ADVERTISING: "It advertises something.",
    FlagKind.SAFETY: "It switches a precaution off.",
    FlagKind.MONEY: "It is about payments, accounts, medicine or investments.",
}
_WHOSE = {
    Place.PASTED: "a text pasted into the user's message",
    Place.TOOL: "a tool's result, a file or a page",
    Place.ANSWER: "an earlier answer in the history",
    Place.SYSTEM: "the client's own system text",
    Place.TYPED: "the user's words",
}
_ORDER = (Severity.QUARANTINE, Severity.WARNING, Severity.NOTE)


def screen(text: SkillText, *, spans: Sequence[Span], mine: bool = False) -> Screening:
    """Check a candidate against the turns that it comes from.

    `spans` are those of all its turns (core/trust.py). `mine`: it was cut from the user's own
    words by the extractive evolver, so that the words around them are Lull's and not a model's;
    nothing else is believed for it.
    """
    sources = sources_of(spans)
    described = [traced(s, sources) for s in sentences(text.description)]
    parts = body_sentences(text.body)
    said = [traced(s, sources, example=example) for s, example in parts]
    examples = frozenset(s for s, example in parts if example)
    flags = [
        *_of_format(text),
        *_of_characters(text),
        *_of_secrets(text),
        *_of_links(text, sources),
        *_of_lures(text, sources),
        *_of_brands(text, sources),
        *(
            flag
            for found in (*described, *said)
            for flag in _of_source(found, example=found.sentence in examples)
        ),
        *([] if mine else _of_influence(described, said, examples, sources)),
        *([] if mine else _of_authorship(said)),
    ]
    unique = {(flag.kind, flag.quote): flag for flag in sorted(flags, key=_rank, reverse=True)}
    ordered = sorted(unique.values(), key=_rank)
    return Screening(flags=tuple(ordered), provenance=(*described, *said))


def _rank(flag: Flag) -> int:
    return _ORDER.index(flag.severity)


def _flag(kind: FlagKind, text: str, quote: str, severity: Severity = Severity.QUARANTINE) -> Flag:
    short = quote if len(quote) <= QUOTE_LIMIT else quote[: QUOTE_LIMIT - 1] + "…"
    return Flag(kind=kind, text=text, quote=bare(short), severity=severity)


def _whole(text: SkillText) -> str:
    fields = (f"{key}: {value}" for key, value in text.metadata.items())
    return "\n".join((text.name, text.description, text.body, text.extra, *fields))


# What nobody may say


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
            yield _flag(FlagKind.FORMAT, f"`{key}` may only stand under `metadata`.", key)
    for key in text.metadata:
        if _GRANTS.search(key):
            yield _flag(FlagKind.PERMISSION, f"Its metadata sets `{key}`.", key)


def _of_characters(text: SkillText) -> Iterator[Flag]:
    whole = _whole(text)
    hidden = hidden_characters(whole)
    if hidden:
        kind = (
            "characters that turn the reading order"
            if has_bidi_controls(whole)
            else "characters that cannot be seen"
        )
        yield _flag(FlagKind.HIDDEN, f"It holds {kind}: {', '.join(hidden[:5])}.", hidden[0])
    for word in feigned_words(whole):
        why = f"'{word}' mixes letters of two scripts that look alike."
        yield _flag(FlagKind.LOOKALIKE, why, word)
    for match in _BLOB.finditer(undressed(whole)):
        yield _flag(FlagKind.ENCODED, "It holds a text that is encoded.", match.group())


def _of_secrets(text: SkillText) -> Iterator[Flag]:
    whole = _whole(text)
    if redact_text(whole, lambda kind, secret: 1) != whole:
        yield _flag(FlagKind.SECRET, "It holds a password or a key.", "")
    elif "⟨secret:" in whole:
        why = "Where a password or a key stood there is a placeholder now."
        yield _flag(FlagKind.SECRET, why, "⟨secret:", Severity.WARNING)


# What depends on who said it


def _of_links(text: SkillText, sources: Sources) -> Iterator[Flag]:
    whole = bare(f"{text.description}\n{text.body}\n{text.extra}")
    typed = bare("\n".join(wish.text for wish in sources.wishes)).lower()
    for kind, pattern, what in (
        (FlagKind.CONTACT, _MAIL, "an address to write to"),
        (FlagKind.CONTACT, _PHONE, "a telephone number"),
        (FlagKind.LINK, _LINK, "an address on the web"),
    ):
        for match in pattern.finditer(whole):
            quote = match.group().rstrip(".,;:")
            if quote.lower() in _NO_LINK or "⟨" in quote:
                continue
            own = quote.lower() in typed
            why = f"It holds {what}" + (
                ", typed by the user." if own else " that the user never typed."
            )
            yield _flag(kind, why, quote, Severity.NOTE if own else Severity.QUARANTINE)


def _of_lures(text: SkillText, sources: Sources) -> Iterator[Flag]:
    seen = set()
    for part in (*sentences(text.description), *sentences(text.body), text.extra):
        for reading in readings(part):
            for lure in lures(reading):
                seen.add((lure.kind, lure.quote))
                yield _lured(lure, sources, negated=is_negated(reading))
    # What is broken over several lines.
    for lure in (*lures(text.body), *lures(bare(text.body).replace("\n", " "))):
        if (lure.kind, lure.quote) not in seen:
            yield _lured(lure, sources, negated=is_negated(lure.quote))


def _lured(lure: Lure, sources: Sources, *, negated: bool) -> Flag:
    severity = _severity(lure, sources, negated=negated)
    return _flag(lure.kind, _WORDS_FOR[lure.kind], lure.quote, severity)


def _forbidden(quote: str) -> str:
    """ "(When you) write a config, never share passwords": what is forbidden, without the situation
    that we named before it."""
    return _NOT_TO_DO.split(quote)[-1]


_NOT_TO_DO = re.compile(r",\s+(?=(?:never|do not|don['’]t)\b)", re.IGNORECASE)


def _severity(lure: Lure, sources: Sources, *, negated: bool) -> Severity:
    match lure.allowed:
        case Allowed.SHOWN:
            return Severity.NOTE
        case Allowed.TYPED if backed(_forbidden(lure.quote), sources, negated=negated):
            return Severity.NOTE
        case Allowed.DENIED if negated and backed(lure.quote, sources, negated=True, strictly=True):
            return Severity.WARNING
        case _:
            return Severity.QUARANTINE


def _of_brands(text: SkillText, sources: Sources) -> Iterator[Flag]:
    typed = frozenset(word for wish in sources.wishes for word in words(wish.text))
    for sentence in (*sentences(text.description), *sentences(text.body)):
        strange = sorted(speaks_for(bare(sentence)) - typed)
        if strange:
            why = f"It would have the model speak for '{strange[0]}', which the user never named."
            yield _flag(FlagKind.ADVERTISING, why, sentence)


def _of_source(found: Provenance, *, example: bool) -> Iterator[Flag]:
    if found.source is not Origin.UNTRUSTED:
        return
    whose = _WHOSE[found.place or Place.TOOL]
    if example and not found.ordered and not lures(found.sentence):
        why = f"This example comes from {whose}."
        yield _flag(FlagKind.UNTRUSTED, why, found.sentence, Severity.WARNING)
        return
    why = f"This comes from {whose}, not from the user."
    yield _flag(FlagKind.UNTRUSTED, why, found.sentence)


def _of_influence(
    described: Sequence[Provenance],
    said: Sequence[Provenance],
    examples: frozenset[str],
    sources: Sources,
) -> Iterator[Flag]:
    """A model that read an attack may retell it in words that no comparison finds.

    Behind an attack each sentence therefore needs the user's words; behind what only presses, as a
    manual may, the candidate as a whole does.
    """
    own = [f for f in said if _is_wished(f, sources)]
    attack, pressure = sources.attack, sources.pressure
    if attack is not None:
        orders = [f for f in said if f.sentence not in examples or telling(subjects(f.sentence))]
        for found in (*(f for f in described if not _is_trigger(f.sentence)), *orders):
            if found not in own and not _is_wished(found, sources):
                yield _influenced(attack, found.sentence)
    elif pressure is not None and not any(wished(f.sentence, sources) >= HINTED for f in said):
        yield _influenced(pressure, said[0].sentence if said else "")


def _is_wished(found: Provenance, sources: Sources) -> bool:
    need = ASKED_FOR if is_order(found.sentence) else HINTED
    return found.source is not Origin.UNTRUSTED and wished(found.sentence, sources) >= need


def _is_trigger(sentence: str) -> bool:
    """A description that only says when ("When the user asks for a list.")."""
    return bool(_TRIGGER.search(sentence)) and not lures(sentence)


def _influenced(stranger: Statement, quote: str) -> Flag:
    why = (
        f"{_WHOSE[stranger.span.place].capitalize()} in these turns gives orders"
        f" ({stranger.text[:60]!r}), and nothing that the user said stands behind this."
    )
    return _flag(FlagKind.INFLUENCE, why, quote)


def _of_authorship(said: Sequence[Provenance]) -> Iterator[Flag]:
    own = [found.sentence for found in said if found.source is Origin.MODEL]
    if own:
        many = (
            "These words are"
            if len(own) == len(said)
            else f"{len(own)} of {len(said)} sentences are"
        )
        yield _flag(FlagKind.MODEL_WORDS, f"{many} the model's.", own[0], Severity.NOTE)
