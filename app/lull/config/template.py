"""Generates the first settings file, which lists every setting with its default, its allowed values
and the text that explains it.

It is generated from the rules, so it always matches the program. Defaults are commented out with
`#`, so that keys nobody changed follow a later version's defaults.
"""

from __future__ import annotations

import json
import re
import textwrap

from lull.config.reading import SettingKey, rules
from lull.config.rules import SettingValue

_WIDTH = 98
_HEAD = """\
# The settings of Lull. Each key is listed below with its default, behind a '#'.
# To change one, remove the '#' and write your value, or run: lull settings set GROUP.KEY VALUE
# A key that Lull does not know stops it at the start, with the line to look at.
"""


def default_text() -> str:
    """Return the text of the settings file of a new installation: each setting's comment and
    default.
    """
    parts = [_HEAD]
    last = ""
    for (group, name), rule in rules().items():
        if group != last:
            parts.append(f"\n[{group}]\n")
            last = group
        parts += [
            "\n",
            *(f"# {line}\n" for line in textwrap.wrap(rule.why, _WIDTH)),
            *(f"# {line}\n" for line in textwrap.wrap(f"It is {rule.allowed}.", _WIDTH)),
            f"#{name} = {as_toml(rule.default)}\n",
        ]
    return "".join(parts)


def as_toml(value: SettingValue) -> str:
    """Format a value as TOML; booleans, numbers, strings and lists are written as in JSON."""
    return json.dumps(value, ensure_ascii=False)


def uncommented(text: str, key: SettingKey) -> str:
    """Return the settings file's text with the `#` before one setting removed; the `#` marks a
    setting that still has its default.
    """
    group, name = key
    lines = text.split("\n")
    header = re.compile(rf"\s*\[\s*{group}\s*\]\s*(#.*)?")
    begin = next((i for i, line in enumerate(lines) if header.fullmatch(line.rstrip())), None)
    if begin is None:
        return text
    for number in range(begin + 1, len(lines)):
        if lines[number].lstrip().startswith("["):
            break
        if re.match(rf"#\s?{name}\s*=", lines[number]):
            lines[number] = lines[number][1:].lstrip()
            return "\n".join(lines)
    return text
