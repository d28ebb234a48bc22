"""Patterns of codes whose name says too little by itself ("the code is 8023"): what else the sentence
speaks of is a lock, an alarm, a phone, the back of a card or a network, or how that is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.judging import has_sign, is_readable
from lull.core.secrets.values.pattern import QUOTE, Pattern
from lull.core.secrets.values.relations import NO_UNIT

_LOCK: Final = re.compile(
    r"(?i)(?:\b|pad|key|bike|door|child|screen)lock(?:box|er)?s?\b|keypad|key[ -]?(?:safe|box|pad)|alarm|\bgates?\b|\bdoors?\b|garage|\bsafe\b|\bvault\b|\bshed\b|suitcase|luggage|briefcase|intercom|"
    r"schlo(?:ss|ß)|schlüssel(?:tresor|safe|kasten|box)|\b(?:haus|garten|wohnungs|keller)?t(?:ür|or)\b|tresor|\bspind|koffer|briefkasten|"
    r"cadenas|boîte à cl|coffre|portail|\bporte\b|digicode|valise|interphone|candado|caja de llaves|caja fuerte|puerta|portón|\bportal\b|maleta|"
    r"lucchetto|cassaforte|cancello|\bporta\b|valigia|kluis|\bslot\b|\bdeur\b|\bpoort\b|cofre|portão|cadeado|lås|\bdörr|\bdør"
)
"""What is locked with a code."""
_DEVICE: Final = re.compile(
    r"(?i)phone|ipad|tablet|laptop|\bhandy\b|\btelefon|móvil|téléphone|telefono|bildschirm|\bscreen\b|smartphone|\bmobile\b|\bsim\b"
)
_DIGITS: Final = rf"(\d{{4,8}}[#*]?){NO_UNIT}"
_IS: Final = r"(?:is(?: the)?|ist(?: d(?:ie|er))?|lautet|est(?: le)?|c['’]est|es(?: el)?|è(?: il)?|é|är|er|takes|is set to|set to|steht auf|eingestellt auf|réglé sur|=|:|—|–|-)"
_CODE: Final = re.compile(
    rf"(?i)(?:(?<![^\W_])(?:the|its|their|this|der|die|den|dem|le|la|el|il|de|het|o|koden|and|und|et|y|with|mit|avec|con|to)[ ]|[,;:.(–—>\"'-][ ]?|(?<![^\n]))"
    rf"(?:code|combination|combo|kombination|pin|zahlencode|combinaison|código|codigo|combinación|codice|combinazione)(?:[ ](?:for|of|to|on|für|vom|zum|am|de|du|del|al)[ ][^\d\n:]{{2,30}}?)?[ ]?(?:{_IS})?[ ]?:?[ ]?{QUOTE}?{_DIGITS}"
)
_FAR: Final = 140
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def _of_sentence(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    """The codes of which the line speaks that also speaks of a lock."""
    for code in _CODE.finditer(text):
        first = max(0, code.start() - _FAR, text.rfind("\n", 0, code.start()) + 1)
        if _LOCK.search(text, first, code.start(1)) is not None:
            yield code.span(1)


_TYPE: Final = (
    r"(?:(?<![^\W_])(?:then|with|use|using|type|enter|dial|press|push|punch in|key in|code|pin|mit|gib|tippe|per|taper|tapez|tape|composez|avec|entrez|marca|usa|pulsa|teclea|con|"
    r"digita|is|ist|est|c['’]est|es|è)|[:=,*→])[ ]{0,2}"
)
_OPENS: Final = (
    r"(?:disarm|unlock|entsperr|entschärf|scharf|deaktivier|ausschalt|öffne|aufmach|aufzusperr|déverrouill|désactiv|désarm|ouvrir|ouvre|desbloque|desactiv|desarm|abrir|abre|"
    r"disable|deactivate|turn off|switch off|get in|open(?![a-z])|let yourself in|sblocc|disattiv|aprire|alarm|alarme|alarma)"
)
_HOW: Final = re.compile(
    rf"(?i)(?<![^\W_]){_OPENS}[^\d\n]{{0,60}}?{_TYPE}(?:the[ ]|den[ ]|code[ ])?{QUOTE}?{_DIGITS}|"
    rf"(?<![^\W_]){_OPENS}[^\d\n]{{0,60}}?[ ]{QUOTE}?{_DIGITS}(?=[ ](?:eingeben|drücken|tippen|wählen|eintippen|(?:at|on|into)[ ](?:the|its)[ ](?:key)?(?:pad|box|panel)))|"
    rf"(?<![^\W_])(?:press|enter|type|dial|then|use|punch in|drücke|tippe|gib|tapez|marca|pulsa)[ ]{QUOTE}?{_DIGITS}(?=[^\n.]{{0,30}}?[ ](?:to[ ]|um|pour|para)[^\n.]{{0,20}}?{_OPENS})"
)


def _how_to_open(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    """The codes with which somebody is told to open a lock or a phone."""
    for told in _HOW.finditer(text):
        group = told.lastindex or 0
        first = max(0, told.start() - _NEAR, text.rfind("\n", 0, told.start()) + 1)
        last = min(len(text), told.end() + _NEAR)
        around = text[first:last]
        if _YEAR.fullmatch(told[group]) is None and (
            _LOCK.search(around) is not None or _DEVICE.search(around) is not None
        ):
            yield told.span(group)


_NEAR: Final = 50
_OF_A_THING: Final = re.compile(
    rf"(?i)(?<![^\W_])(?:(?:bike|bicycle|luggage|suitcase|locker|screen|phone|gate|garage|shed|door|front door|combination|number)[ -]?(?:padlock|lock|keypad)|key[ -]?(?:box|safe)|lockbox|"
    rf"[a-zäöü]{{2,16}}schlo(?:ss|ß)|schlüssel(?:tresor|safe|kasten|box)|cadenas(?:[ ](?:du|de la|de l['’])[ ]?\w{{2,16}})?|candado(?:[ ]del?(?:[ ]la)?[ ]\w{{2,16}})?|lucchetto(?:[ ]\w{{1,8}}[ ]\w{{2,16}})?|cadeado)"
    rf"[ ]?(?:{_IS})?[ ]?:?[ ]{QUOTE}?(\d{{3,6}}){NO_UNIT}"
)
_OF_A_CASE: Final = re.compile(
    rf"(?i)(?:combination|combo|kombination|combinaison|combinación|combinazione)[ ][^\d\n:]{{3,36}}?(?:{_IS})[ ]?{QUOTE}?(\d{{3,6}}){NO_UNIT}"
)
_OF_A_CARD: Final = re.compile(
    r"(?i)(?<![^\W_])(?:(?:karten)?prüf(?:nummer|ziffer|zahl)|(?:security|verification|check|sicherheits|kontroll)[ -]?(?:code|number|nummer|zahl|digits)[ ](?:on|of|auf|der|am)[ ][^\d\n]{2,30}?|"
    r"cryptogramme(?:[ ]visuel)?|code de sécurité[ ](?:au dos|de la carte|derrière)[^\d\n]{0,24}?|código de seguridad[ ](?:del?|en)[ ][^\d\n]{2,24}?|codice di sicurezza[ ][^\d\n]{2,24}?|(?:cid|csc|cav2)(?=[ ]?(?:\(|:|=|is\b|ist\b)))"
    rf"(?:[ ](?:auf|der|of|on|my)[ ][^\d\n:]{{2,24}}?)?(?:[ ]\(\w{{2,12}}\))?[ ]?(?:{_IS})?[ ]?:?[ ]?{QUOTE}?(\d{{3,4}}){NO_UNIT}"
)
_PIN_OF: Final = re.compile(
    rf"(?<![A-Za-z0-9_.-])PIN[ ](?:der|des|meiner|meines|unserer|vom|von|für|fürs|of|for|de|del|du|della|van)[ ][^\d\n:=]{{2,40}}?[ ]?(?:{_IS})?[ ]?:?[ ]?{QUOTE}?(\d{{4,6}}){NO_UNIT}"
)


def _stated(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for form in (_OF_A_THING, _OF_A_CASE, _OF_A_CARD, _PIN_OF):
        for found in form.finditer(text):
            yield found.span(1)


_REVOKED: Final = re.compile(
    r"(?i)(?:revocation|recovery|rescue|backup|emergency|unlock|single[ -]use|one[ -]time|anti[ -]phishing|transfer|widerrufs|notfall|einmal|secours|récupération|recuperación|respaldo)"
    rf"[ -]?(?:code|kode|código)(?:[ ](?:for|of|für|de|pour|del?)[ ][^\d\n:]{{2,36}}?)?[ ]?(?:{_IS})?[ ]?:?[ ]?{QUOTE}?((?=[A-Za-z]{{0,12}}\d)(?=\d{{0,12}}[A-Za-z])[A-Za-z0-9]{{5,24}}){NO_UNIT}(?![\w-])"
)


def _single(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    """A code that proves who one is, of letters and digits."""
    for found in _REVOKED.finditer(text):
        if _VERSION.fullmatch(found[1]) is None:
            yield found.span(1)


_VERSION: Final = re.compile(r"(?i)v\d+|[a-z]{2,}\d{1,2}|\d+[a-z]{1,3}")

_NETWORK: Final = r"(?:wi-?fi|wlan|wpa\d?|\bwep\b|box\b|router|routeur|hotspot|\bssid|netzwerk|gäste-?netz|network|réseau|\bred\b)"
_OF_NETWORK: Final = re.compile(
    rf"(?i)(?<![^\W_])(?:(?:clé|clave|código|codigo|chiave|chave|key(?=[ ](?:of|for|to)[ ])|sleutel|nøgle|nyckel|mdp|pw|schlüssel(?!w)|contraseña)(?=[^\n:=→]{{0,40}}?{_NETWORK})|(?:netzwerk|wlan|wifi|wi-fi|wpa\d?)[- ]?(?:sicherheits)?(?:schlüssel(?!w)|key|code)|{_NETWORK}[^\n.]{{0,60}}?[ ](?:key|pass|code|schlüssel|clé|clave)[ ](?:is|ist|est|es|lautet))"
    rf"[^\n:=→,;]{{0,50}}?[ ]?[:=→]?[ ]{{1,3}}{QUOTE}?((?=\S{{0,62}}\d)[^\s\"'`<>|,;\\⟨⟩]{{8,63}})(?=[\s\"'`<>|,;\\]|$)"
)


def _of_network(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for found in _OF_NETWORK.finditer(text):
        value = found[1].rstrip(".,:;)")
        if any(c.isdigit() for c in value) and has_sign(value) and not is_readable(value):
            yield found.start(1), found.start(1) + len(value)


OPENED: Final = (
    Pattern(
        kind="pin",
        find=_of_sentence,
        hints=("code", "combi", "combo", "kombination", "pin", "código", "codigo", "codice"),
        has_digits=True,
        holds="The key is in the lockbox left of the door, the code is «8023».",
        spares="The box is left of the door, the zip code is 80230, the error code is 8023.",
    ),
    Pattern(
        kind="pin",
        find=_how_to_open,
        hints=(
            *(
                "disarm",
                "unlock",
                "open",
                "alarm",
                "get in",
                "disable",
                "turn off",
                "switch off",
                "let yourself",
            ),
            *(
                "deactiv",
                "entsperr",
                "entschärf",
                "scharf",
                "deaktivier",
                "ausschalt",
                "öffne",
                "aufmach",
                "aufzusperr",
            ),
            *(
                "verrouill",
                "désa",
                "desa",
                "ouvr",
                "desbloque",
                "abr",
                "sblocc",
                "disattiv",
                "aprire",
            ),
        ),
        has_digits=True,
        holds="to unlock my phone use «702301»",
        spares="to unlock level 12 of the game use 702301 points; open the door in 2024",
    ),
    Pattern(
        kind="pin",
        find=_stated,
        hints=(
            *(
                "lock",
                "pad",
                "key",
                "schlo",
                "schlüssel",
                "cadenas",
                "candado",
                "lucchetto",
                "cadeado",
                "combi",
            ),
            *(
                "kombi",
                "prüf",
                "security",
                "verification",
                "check",
                "sicherheits",
                "kontroll",
                "crypto",
            ),
            *("sécurité", "seguridad", "sicurezza", "cid", "csc", "cav2", "pin "),
        ),
        has_digits=True,
        holds="Kartenprüfnummer: «962»",
        spares="Prüfziffer der ISBN: 4, security check of 962 files, block 4711",
    ),
    Pattern(
        kind="recovery-code",
        find=_single,
        hints=("code", "kode", "código"),
        has_digits=True,
        holds="Steam Guard revocation code «R36284»",
        spares="the backup code of v2 and the recovery code is short",
    ),
    Pattern(
        kind="password",
        find=_of_network,
        hints=(
            *(
                "clé",
                "clave",
                "código",
                "codigo",
                "chiave",
                "chave",
                "key",
                "sleutel",
                "nøgle",
                "nyckel",
                "mdp",
                "pw",
            ),
            *("schlüssel", "contraseña", "netzwerk", "wlan", "wifi", "wi-fi", "wpa"),
        ),
        has_digits=True,
        holds="clé Wi-Fi de la box : «K7Q2MZ4RTW9BDH3XN5V6»",
        spares="la clé Wi-Fi de la box : 802.11ax et WPA2",
    ),
)
