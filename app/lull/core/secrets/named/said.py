"""Patterns of secrets stated in a sentence: "my password is …", "das Passwort lautet …", "le code
PIN est …".
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.named.assigned import NOT_A_SECRET, PASSWORD_HINTS, PASSWORD_NAME
from lull.core.secrets.values.judging import (
    has_sign,
    looks_random,
    looks_random16,
    not_dummy,
    quoted_password,
    stated_password,
)
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import BARE, BARE_RUN, QUOTE, SIGN, Pattern, PatternPlace
from lull.core.secrets.values.phrases import drawn_in_groups, passphrase
from lull.core.secrets.values.relations import NO_UNIT

_IS: Final = (
    r"(?:is|was|are|ist|war|wäre|lautet(?:e)?|heißt|heisst|est|était|c['’]est|es|era|será|é|è|jest|为|是|は|=|"
    r"to|auf|à|a|en|als|as|with|mit|avec|con|of|from|von)"
)
_BETWEEN: Final = (
    r"(?:[ ,]{1,2}(?:now|jetzt|nun|currently|still|just|simply|again|wieder|noch|einfach|maintenant|ahora|actually|"
    r"for (?:the |my |our |this )?[\w.-]{1,24}|für (?:das |den |die |mein(?:e|en)? )?[\w.-]{1,24}|von [\w.-]{1,24}|of [\w.-]{1,24}|"
    r"zum [\w.-]{1,24}|pour (?:le |la )?[\w.-]{1,24}|para (?:el |la )?[\w.-]{1,24}|del? [\w.-]{1,24}|du [\w.-]{1,24}|"
    r"on (?!(?:the|a|an|my|our|this|that)\b)[\w.-]{1,24}|here|there|hier|there)){0,2}"
)
_AFTER: Final = (
    r"(?=[.,;:!?)\"'`”“»’*]{1,3}(?:\s|$|\\|<|[^\x00-\x7f]|[}\]])|\s?(?:$|\n|\\|\t|<|[])}|]|[。、，」])|"
    r"\s(?:and|but|und|aber|et|mais|y|pero|e|please|thanks|danke|merci|gracias|for|für|pour|para)\b)"
)
_WORD_VALUE: Final = (
    rf"(?:([A-Za-zÀ-ÿ]{{6,64}}){_AFTER}|((?=[A-Za-zÀ-ÿ]{{0,64}}[^A-Za-zÀ-ÿ\s]){BARE}{{4,120}}))"
)
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
        # Digits alone, as routers and providers print them: more than a year or a date has.
        regex=re.compile(rf"(?i)(?:{PASSWORD_NAME})[ ](\d{{8,63}}){NO_UNIT}"),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
        check=lambda value: not_dummy(value) and not re.fullmatch(r"(?:19|20)\d{6}", value),
        holds="the router's password «24382981863084941692»",
        spares="changed the password 20260301",
    ),
    Pattern(
        kind="password",
        # As Apple and Google draw them: four groups of four letters, without a sign before them.
        regex=re.compile(
            r"(?i)(?:google|gmail|apple|icloud|yahoo|outlook|my|your|new)[ ]"
            r"app(?:lication)?[ -]?(?:specific |specific-)?password(?: is)?:?[ \"'(]{1,3}"
            r"([a-z]{4}(?:[ -][a-z]{4}){3})(?![a-z])"
        ),
        hints=("google", "gmail", "apple", "icloud", "yahoo", "outlook", "my", "your", "new"),
        check=drawn_in_groups,
        holds="my google app password «zfqk wtyh mlpo xdva»",
        spares="an app password that will work here",
    ),
    Pattern(
        kind="secret",
        # The key of a storage account of Azure, 64 bytes in base64, named with a space.
        regex=re.compile(r"(?i)account ?key\s{1,3}([A-Za-z0-9+/]{86}==)"),
        hints=("account",),
        check=looks_random,
        holds=f"AccountKey «{_A}{_A}{_A[:22]}==»",
        spares="account key rotation is due in March",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})s?\)?{_BETWEEN}\s{{1,3}}{_IS}{_BETWEEN}\s?[:：]?\s{{1,3}}(?:\*\*)?{_IN_QUOTES}"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
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
        where=PatternPlace.ANYWHERE,
        check=stated_password,
        holds="my password is «swordfish»",
        spares="My password is not working any more",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})(?:s|['’]s)?\)?(?:{_BETWEEN}(?:[^\S\n]{{1,3}}{_IS}|(?=[^\S\n]?[:：])))?[^\S\n]?[:：]?[^\S\n]{{1,3}}(?:\*\*)?{QUOTE}?({BARE}{{5,120}})"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
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
        where=PatternPlace.ANYWHERE,
        check=lambda value: not_dummy(value) and not re.match(r"\d*[^\x00-\x7f]", value),
        holds="密码是«t1gerX»",
        spares="密码 means password",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:mit|with|con|avec)\s(?:dem |the |la |le )?(?:{PASSWORD_NAME})\s{QUOTE}?([A-Za-z]{{6,64}}){_AFTER}"
        ),
        hints=("mit", "with", "con", "avec"),
        check=stated_password,
        holds="log in as anna with password «swordfish»",
        spares="log in with password manager",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:pw|mdp|clave|pass|passcode|zugangscode|kennung|code wifi|clave wifi|clé wifi|wifi[- ]key|wlan[- ](?:key|schlüssel|code)){_BETWEEN}\s?(?:{_IS}|:|=)?[^\S\n]{{1,3}}{QUOTE}?({BARE}{{5,120}})"
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
            rf"(?i)(?:login(?:s|daten)?|log-in|anmeldung|connexion|conexión|compte|zugang(?:sdaten)?|anmeldedaten|credentials?|creds|account|user(?:name)?\s?/\s?pass(?:w(?:or)?d|wort)?|identifiants?|credenciales|acceso|usuario)"
            rf"(?:\s(?:are|is|sind|ist|sont|son|für \S{{1,20}}|for \S{{1,20}}))?(?:\s?[:=]\s{{0,3}}|\s{{1,3}}){QUOTE}?[\w.@+-]{{1,60}}{QUOTE}?(?:\s?(?:/{{1,2}}|[|:,;]|[–—]|-(?=\s))\s?|\s(?:and|und|et|y|e|en|och|og|i|ja)\s){QUOTE}?({BARE}{{5,120}})"
        ),
        hints=(
            "login",
            "log-in",
            "zugang",
            "anmeld",
            "connexion",
            "conexión",
            "compte",
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
        check=lambda value: looks_random(value, least=12),
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
        kind="password",
        # A network's key, which may be digits alone: at least eight, often in groups of four.
        regex=re.compile(
            rf"(?i)(?:(?:wlan|wi-?fi|wpa[23]?|netzwerk|network|router|hotspot)[- ]?(?:netzwerk|sicherheits|security )?(?:schlüssel|key|code)|"
            rf"(?:clé|clave|chiave|chave|password|contraseña)(?: de sécurité)?(?: del?| du| della| do)? (?:wi-?fi|wlan|wpa2?)){_BETWEEN}\s?(?:[:：=]|{_IS}|)\s{{0,3}}(?:\*\*)?{QUOTE}?"
            r"(\d{8,63}|\d{4}(?:[ -]\d{4}){3,14})(?![\d.,-]?\d)(?![A-Za-z])"
        ),
        hints=(
            *("wlan", "wifi", "wi-fi", "wpa", "netzwerk", "network", "router", "hotspot"),
            *("clé", "clave", "chiave", "chave"),
        ),
        check=not_dummy,
        holds="Der WLAN-Schlüssel lautet «47479737278056020254».",
        spares="Der WLAN-Schlüssel hat 20 Ziffern, die Netzwerk-Kennung 4747",
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
        where=PatternPlace.TEXT,
        holds="«9f86d081e4c7a2b359f86d081e4c7a2b9f86d081e4c7a2b359f86d081e4c7a2b» is my private key",
        spares="9f86d081e4c7a2b359f86d081e4c7a2b9f86d081e4c7a2b359f86d081e4c7a2b is the digest",
    ),
    Pattern(
        kind="token",
        regex=re.compile(rf"(?i)(?:/token|token|jeton)\s?[:= ]\s?{QUOTE}?({BARE}{{16,2000}})"),
        hints=("/token", "token", "jeton"),
        not_before=NOT_A_SECRET,
        check=looks_random16,
        holds=f"travis token «{_A[:22]}» is mine",
        spares="the token internationalization_committee",
    ),
    Pattern(
        kind="password",
        # Letters drawn at random are no word of the sentence, whatever follows them.
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})s?\)?{_BETWEEN}\s{{1,3}}{_IS}{_BETWEEN}\s?[:：]?\s{{1,3}}(?:\*\*)?{QUOTE}?([A-Za-z]{{8,64}})(?![\w(\[-])"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
        check=are_random_letters,
        holds="my password is «qwhdkslwpqmd» and nothing else",
        spares="Mein Passwort ist leider abgelaufen.",
    ),
    Pattern(
        kind="password",
        # Several plain words are a passphrase, up to where a sentence goes on.
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME})s?\)?(?:{SIGN}|{_BETWEEN}\s{{1,3}}(?:is|was|ist|war|lautet|heißt|est|es|è|é){_BETWEEN}\s?[:：]?\s{{1,3}}){QUOTE}?"
            r"((?:[a-zà-ÿ]{3,14}[ -]){3,9}[a-zà-ÿ]{3,14})(?![\wÀ-ÿ])"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
        pieces=passphrase,
        holds="my passphrase is «staple tiger battery anchor»",
        spares="passphrase: choose at least five words that only you know",
    ),
    Pattern(
        kind="pin",
        # A code that says what it opens or proves; an error's or a country's code says something else.
        regex=re.compile(
            rf"(?i)(?:(?:verification|confirmation|log-?in|sign-?in|security|access|one-time|authentication|authorization|activation|"
            rf"unlock|door|gate|alarm|entry|pairing|sms|otp|mfa|2fa|entsperr|tür|alarm)[- ]?(?:code|pin)|"
            rf"(?:bestätigungs|sicherheits|einmal|zugangs|anmelde|freischalt|aktivierungs|tür|alarm|prüf|entsperr)-?code|"
            rf"code de (?:vérification|sécurité|confirmation|connexion)|código de (?:verificación|seguridad|acceso|confirmación)|"
            rf"codice di (?:verifica|sicurezza)|one-time password|einmalpasswort|otp|m?tan)s?"
            rf"{_BETWEEN}\s?(?:[:：=]|{_IS}|)\s{{0,3}}(?:\*\*)?{QUOTE}?((?:[A-Z]-)?\d{{3}}[ -]?\d{{3}}(?:\d{{1,2}})?|\d{{4,5}})(?![\d.,-]?\d)(?![A-Za-z])"
        ),
        hints=(
            *("verification", "confirmation", "log", "sign", "security", "access", "one-time"),
            *("authentication", "authorization", "activation", "unlock", "door", "gate", "alarm"),
            *("entry", "pairing", "sms", "otp", "mfa", "2fa", "entsperr", "tür", "bestätigung"),
            *("sicherheit", "einmal", "zugang", "anmelde", "freischalt", "aktivierung", "prüf"),
            *("code de", "código de", "codice di", "tan", "mtan"),
        ),
        holds="your verification code is «587972»",
        spares="the verification code has 6 digits and the error code is 500123",
    ),
    Pattern(
        kind="pin",
        regex=re.compile(
            r"(?:(?<=\\[nrt])|(?<![\w.])(?<!\d-))\d{4,8}(?=\s(?:is|ist|lautet|est|es)\s(?:your|the|dein|ihr|votre|su|tu)\s[^\n.]{0,40}\b[Cc]ode\b)"
        ),
        where=PatternPlace.NUMBER,
        holds="G-«587972» is your Google verification code",
        spares="587972 is your order number",
    ),
    Pattern(
        kind="password",
        # A pair of name and password.
        regex=re.compile(
            rf"(?i)(?:log(?:ged)?[ -]?(?:in|on)|sign(?:ed)?[ -]?in|connect|anmelden|einloggen|angemeldet|connexion|connecter|authenticate)"
            rf"(?:\s(?:as|with|using|to|mit|als|avec|con|en))(?:\s(?:user|username|dem|the|benutzer|name))?\s{QUOTE}?[\w.@+-]{{1,60}}{QUOTE}?"
            rf"(?:\s?[/|:,]\s?|\s(?:and|und|et|y|with|mit)\s(?:the )?){QUOTE}?({BARE}{{5,120}})"
        ),
        hints=(
            "log",
            "sign",
            "connect",
            "anmelden",
            "einloggen",
            "angemeldet",
            "connexion",
            "auth",
        ),
        check=lambda value: has_sign(value.rstrip("!?.,")),
        holds="log in with anna / «Tiger!72xy» (password)",
        spares="log in with Google / GitHub",
    ),
    Pattern(
        kind="password",
        # The value first, and then what it is.
        regex=re.compile(
            rf"(?i)(?:(?<=\\[nrt])|(?<![^\s\"'`:：=(*/>。、])){BARE_RUN}{{5,120}}+(?=[\"'`*]{{0,3}}\s(?:\((?:the |my |das |\w{{1,12}}\s?/\s?)?(?:password|passwort|pw)\)|"
            r"(?:is|ist|as|als)\s(?:(?:the|my|your|its|das|mein|dein|ihr)\s)?(?:[a-z-]{1,16}\s)?(?:password|passwort|passphrase|pw)\b))"
        ),
        hints=(
            *("(password", "(passwort", "(pw", "as password", "as the password", "as my password"),
            *("is my password", "is the password", "is your password", "is the passphrase"),
            *("ist mein passwort", "ist das passwort", "als passwort"),
        ),
        where=PatternPlace.TEXT,
        check=has_sign,
        holds="«Tiger!72xy» is my password",
        spares="swordfish is my password and user-2024 (password)",
    ),
)
