"""Checks of the emoji in a model's answer: none, a certain number, or one at the start or end.

Old pictographs (☀ ☕ ☎ ✂) count as emoji like new ones. Signs common in ordinary text (© ™ →) and
faces made of letters do not. For signs such as ♥ ★ ✓ it is unclear whether people count them: if
the result depends on such signs, or a face stands where an emoji is wanted, the check does not
apply.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.checks.check import Check
from lull.core.checks.lengths import within_limits
from lull.core.checks.text import prose

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
    if not answer.strip():
        return None
    if _EMOJI.search(answer):
        return False
    # A smiley of punctuation is no emoji; old pictures of faces are uncertain.
    return None if _OLD_FACE.search(prose(answer)) else True


def emojis(check: Check, answer: str) -> bool | None:
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
