"""The settings file as it is first written: every key, its default, what it may be, and why.

Made from the rules, so that the file never tells of another program. Defaults stand behind a `#`:
a file that says nothing follows them when a later version changes one.
"""

from __future__ import annotations

import json
import re
import textwrap

from lull.config.reading import Key, rules
from lull.config.rules import Value

_WIDTH = 98
_HEAD = """\
# The settings of Lull. Each key stands below with its default behind a '#'.
# To change one, take the '#' away and write your value, or run: lull settings set GROUP.KEY VALUE
# A key that Lull does not know stops it at the start, with the line to look at.
"""


def default_text() -> str:
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


def as_toml(value: Value) -> str:
    """JSON writes truth, numbers, texts and lists of texts as TOML does."""
    return json.dumps(value, ensure_ascii=False)


def uncommented(text: str, key: Key) -> str:
    """The text with the '#' before a default taken away, if it stands there as first written."""
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
