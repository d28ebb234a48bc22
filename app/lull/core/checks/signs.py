"""Checks of the characters in a model's answer: how it starts and ends, texts and signs that it
contains or must not contain, letter case, quotation marks, emoji.

Where an answer differs from the rule only by a letter's case, a full stop or a word's ending,
people disagree on whether it passes, and the check does not apply.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from lull.core.checks.check import Check
from lull.core.checks.code import blocks_of, scanned
from lull.core.checks.lengths import within_limits
from lull.core.checks.text import Block, prose, split_code, without_code

_QUOTES: Final = str.maketrans({**dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‘’‚‛", "'")})


def folded(text: str) -> str:
    """Return a text in a normal form for comparison: straight quotation marks, single spaces and no
    markdown emphasis.
    """
    text = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return " ".join(re.sub(r"\*\*|__|(?<!\w)[*_`]+|[*_`]+(?!\w)|^\s*#+\s", "", text).split())


# -- start, end, contents ----------------------------------------------------------------------


def starts(check: Check, answer: str) -> bool | None:
    """Check that an answer starts with the wanted text; None if that cannot be told."""
    if answer.strip().startswith(check.value):
        rest = answer.strip()[len(check.value) :]
        return not (check.value[-1:].isalnum() and rest[:1].isalnum())
    wanted, found = folded(check.value), folded(answer)
    if not wanted:
        return False
    if found.startswith(wanted) and not (
        wanted[-1].isalnum() and found[len(wanted) :][:1].isalnum()
    ):
        return True
    return None if found.lower().startswith(wanted.lower()) else False


def ends(check: Check, answer: str) -> bool | None:
    """Whether an answer ends with the text that the check demands; line breaks are ignored, because
    a sign-off may span two lines.
    """
    wanted, found = folded(check.value), folded(answer)
    if answer.strip().endswith(check.value):
        wanted, found = check.value, answer.strip()
    if not wanted:
        return False
    if wanted[-1].isalnum() and found.endswith(wanted + "."):
        found = found[:-1]
    if found.endswith(wanted):
        before = found[: len(found) - len(wanted)][-1:]
        return not (wanted[0].isalnum() and before.isalnum())
    trimmed = found.rstrip(".!").lower()
    return None if trimmed.endswith(wanted.rstrip(".!").lower()) else False


def contains(check: Check, answer: str) -> bool | None:
    """Check that an answer has the wanted text in it; None if that cannot be told."""
    if check.value in answer and not check.value.strip().isalnum():
        return True
    wanted, found = folded(check.value).lower(), folded(answer).lower()
    if not wanted or re.search(r"[*_`#]", check.value):
        # These signs count as emphasis elsewhere, but are meant literally here.
        return " ".join(check.value.lower().split()) in " ".join(answer.lower().split())
    left = r"(?<!\w)" if wanted[0].isalnum() else ""
    right = r"(?!\w)" if wanted[-1].isalnum() else ""
    if re.search(left + re.escape(wanted) + right, found):
        return True
    # "delves" where the rule says "delve": some would count it, some would not.
    stem = wanted[:-1] if wanted.endswith("e") and len(wanted) > 4 else wanted
    inflected = rf"(?<!\w){re.escape(stem)}(?:e?s|e?d|ing|en|er|n)(?!\w)"
    return None if wanted[-1].isalpha() and re.search(inflected, found) else False


def not_contains(check: Check, answer: str) -> bool | None:
    """Whether an answer contains none of the texts that the check forbids; they are in its `value`,
    one per line.
    """
    found = [contains(replace(check, value=one), answer) for one in check.value.split("\n")]
    if any(one is True for one in found):
        return False
    return None if None in found else True


# -- case --------------------------------------------------------------------------------------


def lower_case(check: Check, answer: str) -> bool | None:
    """Check that an answer has no capital letters; None if it has no letters."""
    letters = [sign for sign in without_code(answer) if sign.isupper() or sign.islower()]
    return not any(sign.isupper() for sign in letters) if letters else None


def upper_case(check: Check, answer: str) -> bool | None:
    """Check that an answer has capital letters only; None if it has no letters."""
    letters = [sign for sign in without_code(answer) if sign.isupper() or sign.islower()]
    return not any(sign.islower() and sign != "ß" for sign in letters) if letters else None


# -- forbidden signs -------------------------------------------------------------------------

SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    "comma": (r"[,，、،](?!\d)|(?<!\d),", "commas"),
    "exclamation mark": (r"[!！¡]", "exclamation marks"),
    "question mark": (r"[?？¿]", "question marks"),
    "em dash": (r"—|(?<=\w) ?-- ?(?=\w)", "em dashes"),
    "en dash": (r"–", "en dashes"),
    "dash": (r"—|(?<!\d)–|–(?!\d)|(?<=\w) -- ?(?=\w)", "dashes"),
    "hyphen": (r"(?<=\w)-(?=\w)", "hyphens"),
    "semicolon": (r";(?<!&amp;)(?<!&lt;)(?<!&gt;)", "semicolons"),
    "colon": (r":(?!\d)(?!//)", "colons"),
    "ellipsis": (r"…|\.{3,}", "ellipses"),
    "parenthesis": (r"[()（）]", "parentheses"),
    "bracket": (r"[\[\]]", "square brackets"),
    "hashtag": (r"(?<![\w&/#])#[^\W\d]\w*", "hashtags"),
    "asterisk": (r"\*", "asterisks"),
    "ampersand": (r"&(?!\w+;)", "ampersands"),
    "slash": (r"(?<=\w) ?/ ?(?=\w)", "slashes"),
    "underscore": (r"_", "underscores"),
    "dollar sign": (r"\$", "dollar signs"),
    "percent sign": (r"%", "percent signs"),
    "quotation mark": (r"[\"“”„«»]", "quotation marks"),
    "apostrophe": (r"['’]", "apostrophes"),
    "digit": (r"\d", "digits"),
    "full stop": (r"(?<!\.)\.(?=\s|$)", "full stops"),
    "arrow": (r"->|=>|[←-⇿]", "arrows"),
}
"""Punctuation and other signs by name: a pattern that finds the sign in prose, and its name for
people.
"""
_UNSURE: Final[Mapping[str, str]] = {
    "comma": r"\d,\d",
    "dash": r"\d–\d|(?<=\w) - (?=\w)",
    "em dash": r"(?<=\w) – (?=\w)",
    "en dash": r"—",
    "colon": r":",
    "full stop": r"\.",
    "slash": r"/",
}
"""Matches uncertain occurrences of a sign, such as a comma in a number."""


def no_sign(check: Check, answer: str) -> bool | None:
    """Check that a certain sign, such as a semicolon, is not in an answer; None if that cannot be
    told.
    """
    text = without_code(answer)
    if not text.strip():
        return None
    if check.value in ("parenthesis", "bracket"):
        text = re.sub(r"\[([^\[\]\n]{0,300})\]\([^()\n]{0,500}\)", r"\1", text)
    if re.search(SIGNS[check.value][0], text):
        return False
    unsure = _UNSURE.get(check.value)
    if re.search(SIGNS[check.value][0], " ".join(re.findall(r"`[^`\n]+`", prose(answer)))):
        return None  # in inline code within a sentence
    return None if unsure and re.search(unsure, text) else True


# -- quotation marks ---------------------------------------------------------------------------

QUOTE_STYLES: Final[Mapping[str, str]] = {
    "straight": "straight quotation marks (' and \")",
    "typographic": "typographic quotation marks (“ ” or ‘ ’)",
    "single": "single quotation marks",
    "double": "double quotation marks",
    "german": "German quotation marks („ “)",
    "guillemets": "guillemets (« »)",
}


def quote_style(check: Check, answer: str) -> bool | None:
    """Check that an answer uses the wanted quotation marks; None if that cannot be told."""
    text, blocks = split_code(answer)
    if check.value in ("single", "double"):
        blocks = blocks or blocks_of(answer)
        return _code_quotes(check.value, blocks) if blocks else _prose_quotes(check.value, text)
    text = without_code(answer)
    straight = '"' in text or re.search(r"(?<!\w)'[^'\n]+'(?!\w)", text) is not None
    wanted = {"typographic": "“”‘„", "german": "„“", "guillemets": "«»"}.get(check.value, "")
    curly = any(sign in text for sign in "“”„‘«»")
    if check.value == "straight":
        return False if curly else True if straight and "’" not in text else None
    if straight:
        return False
    if not curly:
        return None
    return all(sign in wanted + "’" for sign in text if sign in "“”„‘«»’")


def _code_quotes(style: str, blocks: Sequence[Block]) -> bool | None:
    wanted, other = ("'", '"') if style == "single" else ('"', "'")
    found = [one for block in blocks for one in scanned(block).strings]
    if not found:
        return None
    # A string that contains the wanted sign may use the other one.
    return all(
        one.quote[0] == wanted or len(one.quote) > 1 or wanted in one.text
        for one in found
        if one.quote[0] in (wanted, other)
    )


def _prose_quotes(style: str, text: str) -> bool | None:
    double = re.search(r"[\"“„][^\"”“\n]+[\"”“]", text) is not None
    single = re.search(r"(?<!\w)['‘‚][^'’‘\n]+['’‘](?!\w)", text) is not None
    if single == double:
        return None
    return single if style == "single" else double


# -- emoji -------------------------------------------------------------------------------------

# Old pictographs (☀ ☕ ☎ ✂) count as emoji like new ones. Signs common in ordinary text (© ™ →)
# and faces made of letters do not. For signs such as ♥ ★ ✓ it is unclear whether people count
# them: if the result depends on such signs, or a face stands where an emoji is wanted, the check
# does not apply.

_PICTURES: Final = (
    "\U0001f000-\U0001f0ff\U0001f18e\U0001f191-\U0001f1e5\U0001f201-\U0001f3fa\U0001f400-\U0001f64f"
    "\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
    "⌚⌛⏩-⏳◽◾☀-☄☎☔-☘☝☠-☣☪☮☯☸♈-♓♨♻♿⚒-⚗⚙⚛⚜⚠⚡⚪⚫⚰⚱⚽⚾⛄⛅⛈⛎⛏⛑⛓⛔⛩-⛪⛰-⛵⛷-⛺⛽✂✅✈-✍✏✒✡✨❄❇❌❎❓-❕❗"
    "❣❤➕-➗➰➿⬛⬜⭐⭕"
)
_ONE: Final = (
    "(?:[\U0001f1e6-\U0001f1ff]{2}|[0-9#*]\ufe0f?\u20e3|"
    f"(?:[{_PICTURES}]|[^\\w\\s]\ufe0f)[\ufe0f\U0001f3fb-\U0001f3ff]*"
    f"(?:\u200d(?:[{_PICTURES}♀♂⚕⚖✈♾])[\ufe0f\U0001f3fb-\U0001f3ff]*)*)"
)
_EMOJI: Final = re.compile(_ONE)
_TEXT_FACE: Final = re.compile(r"(?:^|\s)(?:[:;=]-?[)(DPp/|]|<3|\^_?\^|[☺☹♥♡★☆✓✔])")
_OLD_FACE: Final = re.compile(r"[☺☹♥♡★☆✓✔]")


def no_emoji(check: Check, answer: str) -> bool | None:
    """Check that an answer has no emojis; None if that cannot be told."""
    if not answer.strip():
        return None
    if _EMOJI.search(answer):
        return False
    # A smiley of punctuation is no emoji; old pictures of faces are uncertain.
    return None if _OLD_FACE.search(prose(answer)) else True


def emojis(check: Check, answer: str) -> bool | None:
    """Check how many emojis an answer has, or that they begin or end it; None if that cannot be
    told.
    """
    if not answer.strip():
        return None
    found = list(_EMOJI.finditer(answer))
    if check.value and not found:
        return None if _TEXT_FACE.search(answer) else False
    if check.value == "end":
        return not re.search(r"\w", answer[found[-1].end() :])
    if check.value == "start":
        return not answer[: found[0].start()].strip()
    return within_limits(check, len(found), len(found) + len(_OLD_FACE.findall(answer)))
