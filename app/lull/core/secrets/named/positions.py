"""Patterns for the ways in which a value follows the name of a secret: behind a sign, in brackets,
on the next line, as an argument or in a sentence; for every name of every language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from lull.core.secrets.named.names import (
    KEYS,
    PASSPHRASES,
    PASSWORDS,
    PASSWORDS_ELSEWHERE,
    SECRETS,
    SECRETS_ELSEWHERE,
    SHORT,
    SHORT_PASSWORDS,
)
from lull.core.secrets.values.judging import (
    has_sign,
    is_readable,
    looks_like_key,
    looks_like_password,
    looks_random,
)
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import LINE_END, QUOTE, Pattern, PatternPlace, SecretNames
from lull.core.secrets.values.phrases import (
    GROUPS_OF_FOUR,
    JOINED_PHRASE,
    drawn_in_groups,
    is_joined_phrase,
    is_numbered_phrase,
    passphrase,
)
from lull.core.secrets.values.plain_words import DUMMIES
from lull.core.secrets.values.relations import all_of, before_names, behind_names, in_answers

_CHARACTER: Final = (
    r"(?:[^\s\"'`,;&|<>\\⟨⟩“”«»‹›„\u0250-\u1dff\u2000-\uffff]|&(?!\w{1,32}[=;]|#\d{1,4};))"
)
"""One character of a value; the scripts that go on without a blank after a Latin word end it."""
_FREE: Final = r"(?:(?<=\\[nrt])|(?<![\w@]))"
_NO_CRY: Final = r"(?![A-Za-z][a-z]{0,16}!+\))"
"""A word that somebody calls out in brackets is no value."""
_VALUE: Final = rf"{_FREE}{_NO_CRY}({_CHARACTER}{{5,200}})"
_MARKED: Final = rf"{_FREE}{_NO_CRY}((?={_CHARACTER}{{0,60}}[\d!#$%&*+=?@^~]){_CHARACTER}{{5,200}})"
"""A value with a digit or a sign, which tells it from the words of a sentence."""
_LETTER: Final = (
    r"[^\s\x00-@\[-`\{-\xa9\xab\xbb\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20⟨⟩]"
)
_WORDS: Final = rf"(?:{_LETTER}{{1,24}}(?:['’]{_LETTER}{{1,24}})?,?[ \u00a0]){{0,6}}?"
_OPEN: Final = (
    r"(?:[ \t\u00a0]|\\{0,7}[\"'`“„«‘]|[「『（(\[*_]|&quot;|<(?:b|code|strong|i|em|td|dd)>){0,6}"
)
_IS: Final = (
    r"(?:is|was|are|be|to|as|now|are|=|ist|war|wäre|lautet(?:e)?|heißt|heisst|zu|auf|als|är|var|till|er|til|blir|ble|on|oli|"
    r"est|était|c['’]est|sera|à|es|era|será|és|é|è|sarà|este|e|je|jest|to|brzmi|na|op|naar|en|dır|dir|olarak|ay|adalah|ialah|"
    r"jadi|là|thành|yra|ir|estas|ni|da|er|eshtë|është|yw|is é|είναι|είν|е|є|это|це|је|на|أصبحت|هي|هو|היא|הוא|ist es|है|হল|হলো|"
    r"คือ|是|为|為|は|가|는|은|this|(?:nehme|nutze|verwende|benutze|habe|setze) ich)"
)


def _at(
    position: str,
    names: tuple[SecretNames, ...],
    check: Callable[[str], bool] | None,
    holds: str,
    spares: str,
    *,
    kind: str = "password",
    pieces: Callable[[str], Iterator[tuple[int, int]]] | None = None,
) -> Pattern:
    return Pattern(
        kind=kind,
        regex=re.compile(position),
        where=PatternPlace.NAME,
        names=names,
        check=check,
        pieces=pieces,
        holds=holds,
        spares=spares,
    )


def _number(value: str) -> bool:
    digits = value.rstrip(".!?)")
    return digits.isdigit() and 4 <= len(digits) <= 12 and digits not in DUMMIES


def _said(value: str) -> bool:
    plain = value.rstrip(".,:;!?)]}*")
    return has_sign(plain) or _number(plain) or are_random_letters(plain, sure=True)


def _random8(value: str) -> bool:
    plain = value.rstrip(".,:;!?)]}*")
    return not is_readable(plain) and looks_random(plain)


def _random12(value: str) -> bool:
    plain = value.rstrip(".,:;!?)]}*")
    return not is_readable(plain) and looks_random(plain, least=12)


def _random16(value: str) -> bool:
    plain = value.rstrip(".,:;!?)]}*")
    return (
        not is_readable(plain)
        and looks_random(plain, least=16)
        and (any(c.isdigit() for c in plain) or plain.isalpha())
    )


def _answer(value: str) -> bool:
    plain = value.rstrip(".,:;!?)]}*")
    if is_numbered_phrase(plain):
        return True
    return not is_readable(plain) and (has_sign(plain) or looks_random(plain))


def _below(check: Callable[[str], bool], value: str) -> bool:
    """Whether the line below a name begins with a secret: a thanks with an exclamation mark is
    none."""
    return check(value.rstrip(".,:;!?)]}*"))


_PASSWORDS: Final = (PASSWORDS, PASSWORDS_ELSEWHERE)
_SECRETS: Final = (SECRETS, SECRETS_ELSEWHERE)
_SORTS: Final = (
    (_PASSWORDS, has_sign, "password", "password", "Tiger72xy", "input field"),
    (_SECRETS, _random8, "secret", "api key", "q7KxR2mZp4TwB9d", "rotation2024"),
    ((SHORT, SHORT_PASSWORDS), _random8, "password", "key", "q7KxR2mZp4TwB9d", "theme2"),
)

_A_SIGN: Final = (
    rf"(?:{QUOTE}?\s?(?:(?:[:=]\s?)?\||(?:[:=]\s)?~)(?:[ \t]|\\{{1,4}}t){{0,8}}|[ \t]{{0,4}}\.{{3,60}}[ \t]{{0,4}}|[ ]{{0,4}}(?:[—–]|-{{1,2}}(?=[ ]))[ ]{{0,4}}|"
    rf"[ \t]{{2,40}}|\t|(?:\\{{1,4}}t){{1,8}}|[ ]?[:：]{_OPEN}|{QUOTE}?[ ]?[;,][ ]?(?=[\"'\\])|[;,](?=[^\s]))"
)
"""Signs other than = and : between a name and its value, and table-like gaps."""
_NEXT_LINE: Final = rf"[ \t]?[:：]?[ \t*]{{0,4}}(?:{LINE_END}[ \t>#+/*-]{{0,40}}){{1,3}}"
_IN_BRACKETS: Final = rf"(?:[ ]?[:=]?[ ]?|[ ])(?<=[ :=])[(\[{{][ ]?{QUOTE}?"
_CALLED: Final = rf"{QUOTE}?\)?\]?(?:\s?[=:]\s?)?[\w.]{{0,40}}\(\s?(?:[A-Za-z]{{1,2}})?(?=[\"'\\&])"

POSITIONS: Final = (
    *(
        pattern
        for names, check, kind, name, value, other in _SORTS
        for pattern in (
            _at(
                rf"{_A_SIGN}{_OPEN}{_VALUE}",
                names,
                check,
                f"| {name} | «{value}» |",
                f"| {name} | {other} |",
                kind=kind,
            ),
            _at(
                rf"{_NEXT_LINE}{_OPEN}{_VALUE}(?=[\"'`*\\\s]|$)",
                names,
                partial(_below, check),
                f"{name}:\n\n  «{value}»",
                f"{name}:\n\n  {other}",
                kind=kind,
            ),
            _at(
                rf"{_IN_BRACKETS}{_VALUE}(?=\\{{0,7}}[\"'`)\]}}])",
                names,
                check,
                f"the {name} («{value}») is new",
                f"the {name} ({other}) is new",
                kind=kind,
            ),
            _at(
                rf"{_CALLED}{QUOTE}{_VALUE}(?=\\{{0,7}}[\"'`])",
                names,
                check,
                f'{name}("«{value}»")',
                f'{name}("{other}")',
                kind=kind,
            ),
        )
    ),
    _at(
        rf"{QUOTE}?[ ]?,[ ]?(?=[\"'\\]){_OPEN}{_VALUE}(?=\\{{0,7}}[\"'`])",
        (SHORT_PASSWORDS,),
        has_sign,
        'setenv("DB_PASS", "«t1gerX»")',
        'setenv("DB_PASS", "required")',
    ),
    # Sentences.
    _at(
        rf"(?:[ \u00a0]{_WORDS}|[^\x00-\x7f]{{0,12}})(?:{_LETTER}{{1,24}}+(?=[:：]))?{_IS}?[ \u00a0]?(?:[:：]|[—–-](?=[ ]))?{_OPEN}{_MARKED}",
        (PASSWORDS_ELSEWHERE,),
        _said,
        "Пароль от сервера «t1gerX»",
        "Пароль от сервера Windows11 и RFC2617",
    ),
    _at(
        rf"[ \u00a0](?:{_WORDS}{_IS}[ \u00a0]?[:：]?|{_WORDS}(?:[—–-]|{_LETTER}{{1,24}}[ ]?[:：])){_OPEN}(?<=[^\w]){_MARKED}",
        (PASSWORDS,),
        _said,
        "lösenordet till servern är «tiger72xy», säg inget",
        "lösenordet till servern är Windows11 och",
    ),
    _at(
        rf"[ \u00a0]{_OPEN}{_MARKED}",
        (PASSWORDS,),
        has_sign,
        "wifi şifresi «tiger72xy» olarak",
        "şifre RFC2617 olarak",
    ),
    _at(
        rf"[ \u00a0,:]{{1,2}}(?:{_WORDS}){_OPEN}{_MARKED}",
        (PASSWORDS,),
        looks_like_password,
        "it asks for a password, so type «q7KxR2mZp4»",
        "it asks for a password, so type user2024 or Windows11",
    ),
    _at(
        rf"(?:[ \u00a0]{_WORDS}|[^\x00-\x7f]{{0,12}})(?:{_LETTER}{{1,24}}+(?=[:：]))?(?:{_IS}[ \u00a0]?)?[:：]?{_OPEN}{_MARKED}",
        _SECRETS,
        looks_like_key,
        "the API key of the shop is «q7KxR2mZp4TwB9dH»",
        "the API key of the shop is gpt-4o-mini-2024-07-18",
        kind="secret",
    ),
    _at(
        rf"[ \u00a0](?:{_WORDS}{_IS}[ \u00a0]?[:：]?){_OPEN}(?<=[\"'`“„«‘]){_MARKED}",
        _SECRETS,
        has_sign,
        'our shared secret is "«tiger@4735»"',
        'our shared secret is "user2024"',
        kind="secret",
    ),
    _at(
        # Letters alone, if no word has them so.
        rf"[ \u00a0](?:{_WORDS}{_IS}[ \u00a0][:：]?)?{_OPEN}{_FREE}([A-Za-z]{{8,64}})(?![\w(\[-])",
        _PASSWORDS,
        lambda value: are_random_letters(value, sure=True),
        "Mitt lösenord är «qwhdkslwpqmd»",
        "Mitt lösenord är felaktigt",
    ),
    _at(
        rf"(?:[ \u00a0]{_WORDS}{_LETTER}{{1,24}})?[ ]?[:：=][ ]?{QUOTE}?((?:[a-zß-ɏ]{{3,14}}[ -]){{3,11}}[a-zß-ɏ]{{3,14}})(?![\wÀ-ÿ])",
        (PASSPHRASES,),
        None,
        "passphrase for the key: «lantern glacier anchor turtle»",
        "passphrase for the key: choose five words that you know",
        pieces=passphrase,
    ),
    Pattern(
        kind="password",
        # Four groups of four letters, as Google and Apple draw them.
        find=all_of(
            behind_names(GROUPS_OF_FOUR, drawn_in_groups),
            in_answers(GROUPS_OF_FOUR, drawn_in_groups),
            before_names(GROUPS_OF_FOUR, drawn_in_groups),
        ),
        names=_PASSWORDS,
        holds="the app password (it's «zfqk wtyh mlpo xdva»)",
        spares="the app password (it's here with some more)",
    ),
    Pattern(
        kind="password",
        # Words that are joined by one sign.
        find=all_of(
            behind_names(JOINED_PHRASE, is_joined_phrase),
            in_answers(JOINED_PHRASE, is_joined_phrase),
            before_names(JOINED_PHRASE, is_joined_phrase),
        ),
        names=_PASSWORDS,
        holds="the passphrase is «lantern-glacier-anchor-turtle»",
        spares="the passphrase is state-of-the-art and end-to-end-encrypted",
    ),
    Pattern(
        kind="password",
        # The value first, and then its name.
        find=before_names(rf"{_CHARACTER}{{5,80}}", has_sign),
        names=_PASSWORDS,
        holds="use «t1gerX» for the wifi password",
        spares="use OAuth2 for the wifi password",
    ),
    Pattern(
        kind="secret",
        find=behind_names(rf"{_CHARACTER}{{16,400}}", _random16),
        names=(*_SECRETS, KEYS, SHORT_PASSWORDS),
        holds="the API token (it's «q7KxR2mZp4TwB9dHc8LnV5») is new",
        spares="the API token (it's gpt-4o-mini-2024-07-18) is new",
    ),
    Pattern(
        kind="secret",
        find=before_names(rf"{_CHARACTER}{{12,200}}", _random12, longest=200),
        names=(*_SECRETS, KEYS, SHORT_PASSWORDS),
        holds="Mets «q7KxR2mZp4TwB9dH», c'est la clé API.",
        spares="Use gpt-4o-mini-2024-07-18 for the API key check.",
    ),
    Pattern(
        kind="secret",
        # The line below one that asks for it.
        find=in_answers(rf"{_CHARACTER}{{8,400}}", _random8),
        names=(*_SECRETS, KEYS, SHORT_PASSWORDS),
        holds="A: do you have the API key?\nB: sure, «q7KxR2mZp4TwB9dH»",
        spares="A: do you have the API key?\nB: sure, rotation2024",
    ),
    Pattern(
        kind="password",
        find=in_answers(rf"{_CHARACTER}{{5,200}}", _answer),
        names=_PASSWORDS,
        holds="A: what was the wifi password again?\nB: «t1gerX»",
        spares="A: what was the wifi password again?\nB: no idea, ask RFC2617",
    ),
)
