"""Patterns of secrets stated in a sentence: "my password is …", "das Passwort lautet …", "le code
PIN est …".
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.assigned import NOT_A_SECRET, PASSWORD_HINTS, PASSWORD_NAME
from lull.core.secrets.judging import (
    has_sign,
    not_dummy,
    quoted_password,
    random,
    random16,
    said_password,
)
from lull.core.secrets.pattern import BARE, QUOTE, SIGN, Pattern, Where

_IS: Final = (
    r"(?:is|was|are|ist|war|wäre|lautet(?:e)?|heißt|heisst|est|était|c['’]est|es|era|será|é|è|jest|为|是|は|=|"
    r"to|auf|à|a|en|als|as|with|mit|avec|con|of)"
)
_BETWEEN: Final = (
    r"(?:[ ,]{1,2}(?:now|jetzt|nun|currently|still|just|simply|again|wieder|noch|einfach|maintenant|ahora|actually|"
    r"for (?:the |my |our |this )?[\w.-]{1,24}|für (?:das |den |die |mein(?:e|en)? )?[\w.-]{1,24}|von [\w.-]{1,24}|of [\w.-]{1,24}|"
    r"zum [\w.-]{1,24}|pour (?:le |la )?[\w.-]{1,24}|para (?:el |la )?[\w.-]{1,24}|del? [\w.-]{1,24}|du [\w.-]{1,24}|"
    r"on [\w.-]{1,24}|here|there|hier|there)){0,2}"
)
_AFTER: Final = (
    r"(?=[.,;:!?)\"'`”“»’*]{1,3}(?:\s|$|\\|<|[^\x00-\x7f]|[}\]])|\s?(?:$|\n|\\|\t|<|[])}|]|[。、，」])|"
    r"\s(?:and|but|und|aber|et|mais|y|pero|e|please|thanks|danke|merci|gracias|for|für|pour|para)\b)"
)
_WORD_VALUE: Final = rf"(?:([A-Za-zÀ-ÿ]{{6,64}}){_AFTER}|({BARE}{{4,120}}))"
_IN_QUOTES: Final = r"(?:\\{0,7}[\"'`“„«‘])\s?([^\"'`”“»’\n\\⟨⟩]{4,120})(?=\s?\\{0,7}[\"'`”“»’])"

_A: Final = "q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"
_SECRET_WORD: Final = (
    r"(?:(?:secret|private|access|api|security|recovery|backup|geheime[rs]?|privat(?:e|er)|clé|llave|clave|api-?|zugangs|lizenz|)[ -]{0,2}"
    r"(?:keys?|schl(?:ü|ue|\\{1,4}u00fc)ssel|tokens?|secret|geheimnis|clé|code|clave|privée?|secrète|secreta|privada|d['’]api|api|jeton|ficha))"
)
_SECRET_STARTS: Final = (
    "key", "secret", "token", "schlüssel", "clé", "clave", "llave", "jeton", "geheim", "recovery", "backup", "security",
    "api", "private", "access", "license", "lizenz", "credential",
)  # fmt: skip

SAID: Final = (
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})s?\)?{_BETWEEN}\s{{1,3}}{_IS}{_BETWEEN}\s?[:：]?\s{{1,3}}(?:\*\*)?{_IN_QUOTES}"
        ),
        hints=PASSWORD_HINTS,
        where=Where.ANYWHERE,
        check=quoted_password,
        holds='the passphrase is "«rocket monkey silver garden»"',
        spares='the password is "required"',
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})s?\)?{_BETWEEN}\s{{1,3}}(?:is|was|ist|war|lautet(?:e)?|heißt|heisst|est|était|c['’]est|es|era|é|è){_BETWEEN}\s?[:：]?\s{{1,3}}(?:\*\*)?{QUOTE}?{_WORD_VALUE}"
        ),
        hints=PASSWORD_HINTS,
        where=Where.ANYWHERE,
        check=said_password,
        holds="my password is «swordfish»",
        spares="My password is not working any more",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})s?\)?{_BETWEEN}(?:\s{{1,3}}{_IS})?\s?[:：]?\s{{1,3}}(?:\*\*)?{QUOTE}?({BARE}{{5,120}})"
        ),
        hints=PASSWORD_HINTS,
        where=Where.ANYWHERE,
        check=has_sign,
        holds="use password «hunter2x» to log in",
        spares="password sha256sum and password v2.0.1-beta",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})(?:是|为|為|は|：|: ?|\\{{1,4}}u(?:662f|4e3a|70ba|306f|ff1a))\s?({BARE}{{4,120}})"
        ),
        hints=("密码", "\\u5bc6", "密碼", "口令", "パスワード", "비밀번호", "пароль"),
        where=Where.ANYWHERE,
        check=not_dummy,
        holds="密码是«t1gerX»",
        spares="密码 means password",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:mit|with|con|avec)\s(?:dem |the |la |le )?(?:{PASSWORD_NAME})\s{QUOTE}?([A-Za-z]{{6,64}}){_AFTER}"
        ),
        hints=("mit", "with", "con", "avec"),
        check=said_password,
        holds="log in as anna with password «swordfish»",
        spares="log in with password manager",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:pw|mdp|clave|pass|passcode|zugangscode|kennung|code wifi|clave wifi|clé wifi|wifi[- ]key|wlan[- ](?:key|schlüssel|code))\s?(?:{_IS}|:|=)?\s{{1,3}}{QUOTE}?({BARE}{{5,120}})"
        ),
        hints=(
            "pw",
            "mdp",
            "clave",
            "pass",
            "zugangscode",
            "code wifi",
            "clé wifi",
            "wifi",
            "wlan",
        ),
        check=has_sign,
        holds="ssh root@10.0.0.5 (pw «t1gerX»)",
        spares="pass 12 of 40",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:login(?:s|daten)?|log-in|zugang(?:sdaten)?|anmeldedaten|credentials?|creds|account|user(?:name)?\s?/\s?pass(?:w(?:or)?d|wort)?|identifiants?|credenciales|acceso|usuario)"
            rf"(?:\s(?:are|is|sind|ist|sont|son|für \S{{1,20}}|for \S{{1,20}}))?\s?[:=]?\s{{0,3}}{QUOTE}?[\w.@+-]{{1,60}}{QUOTE}?\s?[/|:,]\s?{QUOTE}?({BARE}{{5,120}})"
        ),
        hints=(
            "login",
            "log-in",
            "zugang",
            "anmeldedaten",
            "credential",
            "creds",
            "account",
            "user",
            "identifiant",
            "credenciales",
            "acceso",
            "usuario",
        ),
        check=has_sign,
        holds="Zugangsdaten: anna / «Tiger!72xy»",
        spares="login: anna / admin",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)define\(\s?{QUOTE}[A-Z_]{{0,40}}(?:PASSWORD|SECRET|KEY|TOKEN|SALT)[A-Z_]{{0,20}}{QUOTE}\s?,\s?{QUOTE}([^\"'\n]{{4,200}}){QUOTE}"
        ),
        hints=("define(",),
        check=quoted_password,
        holds="define('DB_PASSWORD', '«t1gerX»');",
        spares="define('DB_PASSWORD', '');",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)variable\s{QUOTE}?[\w-]{{0,40}}(?:password|secret|token|key)[\w-]{{0,20}}{QUOTE}?\s?\{{[^{{}}]{{0,200}}?default\s{{0,10}}=\s{{0,4}}{QUOTE}([^\"'\n\\]{{4,200}})"
        ),
        hints=("variable",),
        check=quoted_password,
        holds='variable "db_password" { default = "«t1gerX»" }',
        spares='variable "db_password" { type = string }',
    ),
    Pattern(
        kind="secret",
        regex=re.compile(
            rf"(?i){_SECRET_WORD}{_BETWEEN}(?:\s?(?:[:：=]|->)\s{{0,3}}|\s{{1,3}}{_IS}{_BETWEEN}\s?[:：]?\s{{1,3}}|\s)(?:\*\*)?{QUOTE}?({BARE}{{12,2000}})"
        ),
        hints=_SECRET_STARTS,
        not_before=NOT_A_SECRET,
        check=lambda value: random(value, least=12),
        holds=f"Der API-Schlüssel ist «{_A}».",
        spares="The key is internationalization_2024_draft",
    ),
    Pattern(
        kind="otp-secret",
        regex=re.compile(
            rf"(?i:2fa|totp|otp|mfa|authenticator|two-factor|zwei-faktor)[^\n\\]{{0,40}}?(?:(?i:secret|key|seed|code|schlüssel|setup)|{SIGN})[^\n\\A-Z]{{0,12}}((?:[A-Z2-7]{{4}}[ -]?){{4,16}}[A-Z2-7]{{0,3}})(?![A-Za-z0-9])"
        ),
        hints=("2fa", "totp", "otp", "mfa", "authenticator", "two-factor", "zwei-faktor"),
        holds="2FA secret: «JBSWY3DPEHPK3PXP»",
        spares="2FA secret: none so far",
    ),
    Pattern(
        kind="pin",
        regex=re.compile(
            rf"(?i)(?:pin|puk|pincode|geheimzahl|geheimnummer|código pin)(?:[- ]?(?:code|number|nummer))?{_BETWEEN}\s?(?:[:：=]|{_IS}|)\s{{0,3}}{QUOTE}?(\d{{4}}|\d{{5,8}})(?![\d.,-]?\d)(?![A-Za-z])"
        ),
        hints=("pin", "puk", "geheimzahl", "geheimnummer", "código pin"),
        holds="My PIN is «4711».",
        spares="PIN 13 of the board",
    ),
    Pattern(
        kind="pin",
        regex=re.compile(
            rf"(?i)(?:cvv2?|cvc2?|card verification (?:code|value)|prüfziffer|security code)(?:\s?(?:code|is|ist|est|es|number))?\s?[:：=]?\s{{0,3}}{QUOTE}?(\d{{3,4}})(?!\d)"
        ),
        hints=("cvv", "cvc", "card verification", "prüfziffer", "security code"),
        holds="CVV «123», exp 09/29",
        spares="CVV 12 of 40",
    ),
    Pattern(
        kind="recovery-code",
        regex=re.compile(
            rf"(?i)(?:recovery|backup|wiederherstellungs|one[- ]time|2fa|mfa)[- ]?codes?\s?(?:{_IS}|:|=)?\s{{0,3}}((?:[A-Za-z0-9]{{4,10}}(?:-[A-Za-z0-9]{{4,10}}){{1,5}}|[A-Za-z0-9]{{8,20}})(?:[,\s]{{1,3}}(?=\S{{0,12}}\d)[A-Za-z0-9]{{4,10}}(?:-[A-Za-z0-9]{{4,10}}){{0,5}}){{0,15}})"
        ),
        hints=("recovery", "backup", "wiederherstellung", "one-time", "one time", "2fa", "mfa"),
        check=lambda value: any(c.isdigit() for c in value),
        holds="recovery code: «a1b2c-3d4e5»",
        spares="recovery code: see the letter",
    ),
    Pattern(
        kind="wallet-key",
        regex=re.compile(
            r"(?<![0-9a-fA-Fx])[0-9a-fA-F]{64}(?=[^\n\\]{0,24}(?:private key|priv key|secret key|wallet key|privater schlüssel|clé privée|clave privada))"
        ),
        hints=(
            "private key",
            "priv key",
            "secret key",
            "wallet key",
            "privater schlüssel",
            "clé privée",
            "clave privada",
        ),
        where=Where.TEXT,
        holds="«9f86d081e4c7a2b359f86d081e4c7a2b9f86d081e4c7a2b359f86d081e4c7a2b» is my private key",
        spares="9f86d081e4c7a2b359f86d081e4c7a2b9f86d081e4c7a2b359f86d081e4c7a2b is the digest",
    ),
    Pattern(
        kind="token",
        regex=re.compile(rf"(?i)(?:/token|token|jeton)\s?[:= ]\s?{QUOTE}?({BARE}{{16,2000}})"),
        hints=("/token", "token", "jeton"),
        check=random16,
        holds=f"travis token «{_A[:22]}» is mine",
        spares="the token internationalization_committee",
    ),
)
