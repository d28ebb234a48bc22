"""Patterns of secrets in elements and attributes of XML, HTML and property lists."""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import looks_random, quoted_password
from lull.core.secrets.values.pattern import QUOTE, Pattern, PatternPlace

_NAME: Final = (
    r"[\w.: -]{0,40}?(?:pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|mot[ _.-]?de[ _.-]?passe|mdp|contrase[ñn]a|senha|wachtwoord|secret|token|api[ _.-]?key|access[ _.-]?key|secret[ _.-]?key|private[ _.-]?key|"
    r"auth[ _.-]?key|psk|credential|phash)s?(?:[ _.-]?\d{1,2})?"
)
_SPACE: Final = r"(?:\n[>#+/*-]{1,4}|\s|\n[ \t]{1,4}[>#+/*-]{1,4}|(?:\\{1,4}r)?\\{1,4}n[ \t]{0,4}+[>#+/*-]{0,4}){0,24}"
"""Blanks, and the marks of quotations and comments that begin a line. No text can be read as such
in many ways, each of which would be tried where a pattern fails.
"""
_TEXT: Final = rf"{_SPACE}(?:<!\[CDATA\[)?([^<>\s⟨⟩\]\"\\]{{4,2000}}+)(?=\]\]>|{_SPACE}<)"
_ATTRIBUTE: Final = rf"{QUOTE}([^\s<>\"'\\⟨⟩]{{4,400}}+)(?=\\{{0,7}}[\"'])"


def _value(value: str) -> bool:
    return quoted_password(value) and not value.startswith(("$", "%", "{", "@"))


def _drawn(value: str) -> bool:
    return looks_random(value, least=8)


MARKUP: Final = (
    Pattern(
        kind="password",
        # The attribute or the element before names it: <entry key="db.password">…</entry>.
        regex=re.compile(
            rf"(?i)(?:name|key|id|property){QUOTE}?=\s?{QUOTE}{_NAME}{QUOTE}[^<>]{{0,80}}>{_TEXT}"
        ),
        hints=("name", "key", "id", "property"),
        check=_value,
        holds='<entry key="db.password">«t1gerX»</entry>',
        spares='<entry key="db.password">${password}</entry>',
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)<([a-z]{{1,12}}[: ]?){{1,2}}>{_SPACE}{_NAME}{_SPACE}</[a-z:]{{1,16}}>{_SPACE}<[a-z:]{{1,16}}(?:\s[^<>]{{0,80}})?>{_TEXT}"
        ),
        hints=(
            "<key",
            "<name",
            "<dt",
            "<td",
            "<th",
            "<label",
            "<b",
            "<strong",
            "<field",
            "<string",
            "<span",
        ),
        where=PatternPlace.ANYWHERE,
        check=lambda value: _value(value) and (any(c.isdigit() for c in value) or _drawn(value)),
        holds="<key>Password</key>\n<string>«t1gerX»</string>",
        spares="<key>Password</key>\n<string>required</string>",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)<[a-z:]{{0,16}}{_NAME}(?:\s[^<>]{{0,120}})?>(?:{_SPACE}<\w{{1,16}}>)?{_TEXT}"
        ),
        hints=("<",),
        where=PatternPlace.ANYWHERE,
        check=_value,
        holds='<Password type="plain"><![CDATA[«t1gerX»]]></Password>',
        spares='<Password type="plain"><![CDATA[${password}]]></Password>',
    ),
    Pattern(
        kind="secret",
        # An element whose name ends in what keys and sessions are called.
        regex=re.compile(
            rf"(?i)<[a-z][\w.:-]{{1,60}}(?:key|sid|sessionid|session|cookie|auth|pat|seed|salt|license|licence|signature|schl(?:ue|ü)ssel|clave|llave|chiave|jeton)(?:\s[^<>]{{0,120}})?>{_TEXT}"
        ),
        hints=("<",),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(value, least=12),
        holds="<storageAccountKey>«q7KxR2mZp4TwB9dH»</storageAccountKey>",
        spares="<sortKey>created_at_1</sortKey>",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)type={QUOTE}(?:password|hidden){QUOTE}[^<>]{{0,120}}?\svalue={_ATTRIBUTE}"
        ),
        hints=("type=",),
        check=lambda value: _value(value) and (any(c.isdigit() for c in value) or _drawn(value)),
        holds='<input type="password" name="p" value="«t1gerX»">',
        spares='<input type="password" name="p" value="password">',
    ),
    Pattern(
        kind="token",
        regex=re.compile(rf"(?i)name={QUOTE}{_NAME}{QUOTE}\s{{1,3}}(?:content|value)={_ATTRIBUTE}"),
        hints=("name=",),
        check=_drawn,
        holds='<meta name="csrf-token" content="«q7KxR2mZp4TwB9d»">',
        spares='<meta name="csrf-token" content="internationalization">',
    ),
    Pattern(
        kind="secret",
        regex=re.compile(rf"(?i)\s[a-z]{{0,20}}(?:key|secret|token|password|pwd)={_ATTRIBUTE}"),
        hints=(
            " validationkey",
            " decryptionkey",
            " apikey",
            " secret",
            " token",
            " password",
            " pwd",
            " key=",
            " accesskey",
        ),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(value, least=12),
        holds='<machineKey validationKey="«Q7KX2MZP4RTW9BDH»" />',
        spares='<row sortKey="created_at_1" />',
    ),
)
