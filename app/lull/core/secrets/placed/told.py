"""Patterns of secrets that somebody tells in a sentence without their name: what one signs in with,
what something was changed from, what opens an archive, which code came by SMS.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.named.assigned import PASSWORD_HINTS, PASSWORD_NAME
from lull.core.secrets.values.judging import count_changes, has_sign, is_readable, looks_random
from lull.core.secrets.values.pattern import BARE, QUOTE, Pattern, PatternPlace, SecretNames
from lull.core.secrets.values.phrases import is_numbered_phrase
from lull.core.secrets.values.plain_words import GRAMMAR, IN_SENTENCES, WORDS
from lull.core.secrets.values.relations import NO_UNIT, in_answers
from lull.core.secrets.values.typed import clearly_secret, clearly_typed

_VALUE: Final = rf"\*{{0,2}}{QUOTE}?({BARE}{{6,80}})"
_SIGNS_IN: Final = (
    r"(?i:log(?:ged|ging)?[ -]?(?:in|on)(?:to)?|sign(?:ed|ing)?[ -]?in(?:to)?|get into|unlock|anmelde\w{0,2}|melde|einlogge\w{0,2}|logge|entsperre\w{0,2}|"
    r"connecter?|connexion|entrer|accéder|déverrouiller?|entrar|entro|acceder|inici[oa]r? sesión|conectar\w{0,2}|accedere|entrare|inloggen|logga in)"
)
_SIGN_HINTS: Final = (
    *("log", "sign", "get into", "unlock", "anmelde", "melde", "einlogge", "entsperre"),
    *("conne", "entr", "accéder", "déverrou", "accede", "inici", "conectar", "inloggen"),
)
_WITH: Final = r"(?i:with|using|mit|avec|con|med|met)"
_AND: Final = r"(?i:and|und|et|y|e|en|och|og|/)"
_IS: Final = r"(?i:is|ist|lautet|est|es|è|är|er)"
_YEAR_LAST: Final = re.compile(r"(?<!\d)(?:19|20)\d\d$")
_END: Final = ".,:;)"


def _made_up(value: str) -> bool:
    """Whether a word is made up as a password is: no product, no account and no year's name."""
    plain = value.rstrip(_END)
    digits = sum(c.isdigit() for c in plain)
    if digits < 2 or not has_sign(plain) or _YEAR_LAST.search(plain):
        return False
    signs = bool(re.search(r"[!#$%*?+^~&]", plain))
    return signs or sum(c.isupper() for c in plain) >= 2 or digits >= _MANY_DIGITS


_MANY_DIGITS: Final = 4


def _opens(value: str) -> bool:
    plain = value.rstrip(_END)
    drawn = count_changes(plain) >= _CHANGES or _DRAWN_PART.search(plain) is not None
    return has_sign(plain) and (drawn or clearly_typed(plain))


_DRAWN_PART: Final = re.compile(r"[a-z][A-Z]\d|\d[A-Z][a-z]|\d[a-z][A-Z]")
"""Small letters, capitals and digits mixed as in no name."""


_CHANGES: Final = 3


def _pin(value: str) -> bool:
    sorts = (str.islower, str.isupper, str.isdigit)
    return all(any(sort(c) for c in value) for sort in sorts) and count_changes(value) >= _CHANGES


def _said(value: str) -> bool:
    return has_sign(value.rstrip("!?.,:;)"))


def _noted(value: str) -> bool:
    plain = value.rstrip(_END)
    return len(plain) >= _NOTED and has_sign(plain) and not is_readable(plain)


_NOTED: Final = 8


def _three_words(value: str) -> bool:
    """Whether no word is one of a sentence."""
    words = value.lower().split()
    return not any(word in GRAMMAR or word in IN_SENTENCES or word in WORDS for word in words)


_OF_NETWORKS: Final = SecretNames(
    stems=(
        "wifi key", "wi-fi key", "wlan key", "network key", "router key", "hotspot key", "wifi code", "wi-fi code", "wlan-schlüssel", "wlan schlüssel",
        "wlan-code", "netzwerkschlüssel", "clé wifi", "clé wi-fi", "clé du wifi", "code wifi", "clave wifi", "clave del wifi", "chiave wifi", "chave wifi",
    ),
    rest=r"(?!\w)",
)  # fmt: skip


def _answered(value: str) -> bool:
    plain = value.rstrip(".,:;!?)]}*")
    if is_numbered_phrase(plain):
        return True
    return not is_readable(plain) and (has_sign(plain) or looks_random(plain))


TOLD: Final = (
    Pattern(
        kind="password",
        regex=re.compile(rf"{_SIGNS_IN}[^\n.:;\"]{{0,60}}?[ ]{_WITH}[ ]{_VALUE}"),
        hints=_SIGN_HINTS,
        check=_made_up,
        holds="I log into my laptop with «CactusKrokus42*», as always",
        spares="I log into my laptop with Windows11Pro or Berlin2024",
    ),
    Pattern(
        kind="password",
        # A user and a password side by side.
        regex=re.compile(
            rf"{_SIGNS_IN}[^\n.;\"]{{0,60}}?(?:[ ]?:|[ ](?i:as|als|comme|como|come|{_WITH[4:-1]}))[ ](?i:user[ ])?[\w.@+-]{{2,40}}[ ]{_AND}[ ](?i:the[ ])?{_VALUE}"
        ),
        hints=_SIGN_HINTS,
        check=_made_up,
        holds="pour entrer dans le routeur : admin et «Thistleamsel6009»",
        spares="pour entrer dans le routeur : admin et Windows11",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i:chang\w{{1,3}}|änder\w{{1,2}}|geändert|modifi\w{{1,4}}|cambi\w{{1,4}}|switched|replaced)[^\n.;\"]{{0,40}}?[ ](?i:from|von|de|da)[ ]{_VALUE}(?=\*{{0,2}}{QUOTE}?[ ](?i:to|auf|zu|à|en|a)[ ])"
        ),
        hints=("chang", "änder", "geändert", "modifi", "cambi", "switched", "replaced"),
        check=clearly_typed,
        holds="I changed it from «junip3rWA601#» to something else",
        spares="I changed it from Version-2.0b to something else",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i:protected|encrypted|locked|geschützt|verschlüsselt|protég\w{{1,3}}|chiffr\w{{1,3}}|protegid\w|cifrad\w|protett\w)[^\n\"]{{0,40}}?[ ](?i:use|take|with|nutze|nimm|verwende|mit|utilise|prends|avec|usa|con)[ ]{_VALUE}"
            rf"(?=\*{{0,2}}{QUOTE}?[ ](?i:to|zum|um|pour|para|per)[ ](?i:open|unlock|unpack|extract|decrypt|öffnen|entpacken|entschlüsseln|ouvrir|l['’]ouvrir|déchiffrer|abrir|aprir))"
        ),
        hints=(
            *("protected", "encrypted", "locked", "geschützt", "verschlüsselt", "protég"),
            *("chiffr", "protegid", "cifrad", "protett"),
        ),
        check=_opens,
        holds="the zip is protected, use «ZfB0-uvob4» to open it",
        spares="the zip is protected, use 7zip-24.08 to open it",
    ),
    Pattern(
        kind="password",
        # The name is further back, and "mine" stands for it; or words between commas.
        regex=re.compile(
            rf"(?i:{PASSWORD_NAME})(?:[^\n.\"]{{0,60}}?[ ](?i:mine|meine?s?|le mien|la mienne|el mío|la mía|il mio|la mia|o meu|a minha)|,[ ][^,\n]{{2,40}},)[ ]{_IS}[ ]{_VALUE}"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
        check=_said,
        holds="the password, all one word, is «Lantern1994!»",
        spares="the password, all in all, is required and RFC2617",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?<![A-Za-z0-9_.-])PIN(?:[ ]?[:=][ ]?|[ ](?:{_IS}[ ])?)([A-Za-z0-9]{{6,20}})(?![\w.(-])"
        ),
        hints=("pin",),
        check=_pin,
        holds="user anna77, PIN «EiED54mi»",
        spares="PIN PA5out1 and PIN GPIO17",
    ),
    Pattern(
        kind="pin",
        regex=re.compile(
            r"(?i:your|ihr|dein|votre|ton|tu|su|il tuo|jouw|uw)[ ](?:[\w-]{2,16}[ ]){0,2}(?i:code|código|codice)(?:[ ](?i:is|ist|lautet|est|es|è)|:)[ ](\d{4,8}|\d{3}[ -]\d{3})"
            rf"{NO_UNIT}"
            r"(?=[^\n]{0,80}?(?i:expire|valid|minut|share|gültig|teile|weiterg|expir|partag|compart|caduc|scad))"
        ),
        hints=("your", "ihr", "dein", "votre", "ton", "tu", "su", "il tuo", "jouw", "uw"),
        holds="Your code is «854152». It expires in 5 minutes",
        spares="Your code is 854152 lines long.",
    ),
    Pattern(
        kind="password",
        # A key or a lock as a picture stands for the word, also as the two halves of an escape.
        regex=re.compile(
            rf"(?:[\U0001f510-\U0001f513\U0001f5dd]|\ud83d[\udd10-\udd13\udddd])\ufe0f?[ ]?[:=]?[ ]?(?:\w{{2,16}}:[ ])?{_VALUE}"
        ),
        hints=("\U0001f510", "\U0001f511", "\U0001f512", "\U0001f513", "\U0001f5dd", "\ud83d"),
        where=PatternPlace.ANYWHERE,
        check=_noted,
        holds="\U0001f511 «nimbusMX636!»",
        spares="\U0001f511 Windows11 and \U0001f512 OAuth2",
    ),
    Pattern(
        kind="password",
        find=in_answers(rf"{BARE}{{8,63}}", _answered),
        names=(_OF_NETWORKS,),
        holds="A: can you send me the wifi key?\nB: sure, «Kompass_krokus565»",
        spares="A: can you send me the wifi key?\nB: sure, tomorrow",
    ),
    Pattern(
        kind="password",
        # What a shell took for a command or for a name.
        regex=re.compile(
            r"(?:[`'\"]([^\s`'\"]{8,80})['\"]: not a valid identifier|(?:bash|zsh|sh|ksh|fish|dash):[ ](?:line \d+:[ ]|\d+:[ ])?(?:command not found:[ ])?([^\s:`'\"]{8,80})(?=: (?:command )?not found|[\n\"]|$))"
        ),
        hints=("`", "'", "bash:", "zsh:", "sh:", "ksh:", "fish:", "dash:"),
        where=PatternPlace.ANYWHERE,
        check=clearly_secret,
        holds="bash: export: `«J1k02WVw9aI~Qi»': not a valid identifier",
        spares="bash: export: `my-path_2': not a valid identifier",
    ),
    Pattern(
        kind="password",
        # Three words that are nobody's sentence, behind a name of what has several.
        regex=re.compile(
            rf"(?i:losungswort|kennwortsatz|codewort|pass[ -]?phrase|code ?word|phrase secrète|palabra de paso|parola d['’]ordine|mot de passe)(?:[ ][^\W\d_]{{2,16}}){{0,4}}?(?:[ ]?:|[ ]{_IS})[ ]{QUOTE}?"
            r"([a-zà-ÿ]{4,14} [a-zà-ÿ]{4,14} [a-zà-ÿ]{4,14})(?=[.!\"'`»”)\]]{0,2}(?:\s{0,2}(?:$|[^\w\s,;&–—-]|-->)|\n))"
        ),
        hints=(
            *("losung", "kennwortsatz", "codewort", "pass phrase", "passphrase", "pass-phrase"),
            *(
                "code word",
                "codeword",
                "phrase secr",
                "palabra de paso",
                "parola d",
                "mot de passe",
            ),
        ),
        check=_three_words,
        holds="Das Losungswort für den Tresorraum ist «zebra orchid domino»",
        spares="Die Passphrase ist immer noch gültig",
    ),
    Pattern(
        kind="password",
        # The answer to a secret question.
        regex=re.compile(
            r"(?i:geheimfrage|sicherheitsfrage|security question|question secrète|question de sécurité|pregunta (?:secreta|de seguridad)|domanda segreta)[ ]?[,:]?[ ][^\n:?]{4,80}?[ ]?(?:[:?]|[–—-](?=[ ]))[ ]"
            r"([A-ZÀ-Ý][^\W\d_]{4,40})(?=[.!\"'`»”)\]]{0,2}(?:\s{0,2}(?:$|[^\w\s,;&–—-]|-->)|\n))"
        ),
        hints=(
            *("geheimfrage", "sicherheitsfrage", "security question", "question secr"),
            *("question de s", "pregunta", "domanda segreta"),
        ),
        check=lambda value: value.lower() not in WORDS,
        holds="Geheimfrage: Name des ersten Haustiers – «Mokkabohne»",
        spares="Security question: What is your first pet? Required",
    ),
)
