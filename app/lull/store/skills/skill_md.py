"""Parses and writes SKILL.md, the open Agent Skills format: YAML front matter between `---` lines,
then the body.

Parsed with PyYAML, because folders come from other tools; every error names the line. Fields that
the format allows and Lull does not use are kept and written back.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from lull.core.errors import SkillError
from lull.core.skills.skill import SkillText, check_text

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C loader if available: a library of thousands of skills is read at each start."""

_OWN_KEYS = ("name", "description", "metadata")
_ALLOWED = {*_OWN_KEYS, "license", "compatibility", "allowed-tools"}
_OPENS = re.compile(r"quoted scalar|flow (?:sequence|mapping)")
FILE_LIMIT = 256 * 1024
_FOLDED = ("\x85", "\u2028", "\u2029", "\ufeff", "\\x85", "\\u2028", "\\u2029", "\\ufeff")
"""Characters that YAML treats as line ends, also as `str` of a mapping escapes them."""


def parse(data: bytes, *, where: str) -> SkillText:
    """Parse the bytes of a SKILL.md file into a skill's name, description and text. `where` names
    the file in errors. Raises SkillError with the line.
    """
    if len(data) > FILE_LIMIT:
        raise SkillError(f"{where} has {len(data)} bytes.", hint=f"At most {FILE_LIMIT} are read.")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SkillError(f"{where}, line {line}: not UTF-8.", hint="Save it as UTF-8.") from error
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise SkillError(
            f"{where}, line 1: the front matter must begin with '---'.",
            hint="Begin with ---, name: …, description: …, --- and then the body.",
        )
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        raise SkillError(
            f"{where}, line {len(lines)}: the front matter has no closing '---'.",
            hint="Put a line of three hyphens before the body.",
        )
    fields = _front_matter("\n".join(lines[1:end]), where)
    body = "\n".join(lines[end + 1 :]).strip()
    others = {key: value for key, value in fields.items() if key not in _OWN_KEYS}
    skill = SkillText(
        name=fields["name"],
        description=fields["description"],
        body=body,
        metadata=fields["metadata"],
        extra=yaml.safe_dump(others, allow_unicode=True, sort_keys=True) if others else "",
    )
    try:
        return check_text(skill)
    except SkillError as error:
        line = _line_of(lines, end, error.detail)
        raise SkillError(f"{where}, line {line}: {error.detail}", hint=error.hint) from error


def render(skill: SkillText) -> bytes:
    """Return a skill as the bytes of a SKILL.md file, which `parse` turns into the same skill."""
    fields: dict[str, object] = {"name": skill.name, "description": skill.description.strip()}
    if skill.metadata:
        fields["metadata"] = dict(skill.metadata)
    # YAML treats these as line ends, so they are escaped; then PyYAML escapes all non-ASCII.
    plain = not any(sign in str(fields) for sign in _FOLDED)
    head = yaml.safe_dump(fields, allow_unicode=plain, sort_keys=False, width=10_000)
    return f"---\n{head}{skill.extra}---\n\n{skill.body.strip()}\n".encode()


def _front_matter(text: str, where: str) -> dict[str, Any]:
    """Read the header's fields. Raises SkillError, with the line, for what the format does not
    allow.
    """
    fields, lines = _read_yaml(text, where)
    for key in fields:
        if key not in _ALLOWED:
            raise SkillError(
                f"{where}, line {lines.get(str(key), 2)}: Unknown key {key!r}.",
                hint="Fields of your own belong under metadata:.",
            )
    for key in ("name", "description"):
        if not isinstance(fields.get(key), str):
            line = lines.get(key, 2)
            lack = f"{key} is missing." if key not in fields else f"{key} is not a text."
            raise SkillError(
                f"{where}, line {line}: {lack}", hint=f"Write it in a line like `{key}: …`."
            )
    metadata = fields.get("metadata", {})
    if not isinstance(metadata, dict):
        raise SkillError(
            f"{where}, line {lines['metadata']}: metadata is not a list of `key: value`.",
            hint="Indent its keys by two spaces.",
        )
    fields["metadata"] = {str(key): str(value) for key, value in metadata.items()}
    return fields


def _read_yaml(text: str, where: str) -> tuple[dict[Any, Any], dict[str, int]]:
    """Read the header as YAML: its fields, and the line of each. Raises SkillError."""
    try:
        _no_aliases(text, where)
        node = yaml.compose(text, Loader=_Loader)
        fields = yaml.load(text, Loader=_Loader)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 2
        raise SkillError(
            f"{where}, line {line}: a character that YAML does not allow.", hint="Remove it."
        ) from error
    except yaml.YAMLError as error:
        line = _yaml_line(error, text)
        problem = getattr(error, "problem", None) or type(error).__name__
        raise SkillError(
            f"{where}, line {line}: this is not YAML: “{problem}”.", hint="Put the value in quotes."
        ) from error
    except ValueError as error:
        # PyYAML does not wrap its constructors' errors, e.g. for the date 2026-13-45.
        line, value = _unreadable(text)
        raise SkillError(
            f"{where}, line {line}: {value[:40]!r} cannot be read.", hint="Put the value in quotes."
        ) from error
    except RecursionError as error:
        raise SkillError(
            f"{where}, line 2: the header (front matter) is nested too deeply.",
            hint="Nest it less deeply.",
        ) from error
    if not isinstance(fields, dict) or not isinstance(node, yaml.MappingNode):
        raise SkillError(
            f"{where}, line 2: the front matter is not a list of `key: value`.",
            hint="It needs at least name: and description:.",
        )
    lines: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 2
        if key.value in lines:
            raise SkillError(
                f"{where}, line {line}: {key.value} appears twice.", hint="Remove one of them."
            )
        lines[key.value] = line
    return fields, lines


def _yaml_line(error: yaml.YAMLError, text: str) -> int:
    """Return the line of a YAML error; for an unclosed quote or bracket, where it opens."""
    context = str(getattr(error, "context", None) or "")
    opened = getattr(error, "context_mark", None) if _OPENS.search(context) else None
    mark = opened or getattr(error, "problem_mark", None)
    last = text.rstrip().count("\n") + 2
    return min(mark.line + 2, last) if mark else 2


def _unreadable(text: str) -> tuple[int, str]:
    """Return the line and text of the first value that is invalid for its type."""
    loader = _Loader(text)
    nodes = [loader.get_single_node()]
    while nodes:
        node = nodes.pop(0)
        if isinstance(node, yaml.ScalarNode):
            try:
                loader.construct_object(node)
            except ValueError:
                return node.start_mark.line + 2, str(node.value)
        elif isinstance(node, yaml.MappingNode):
            nodes[:0] = [one for pair in node.value for one in pair]
        elif node is not None:
            nodes[:0] = node.value
    return 2, "the front matter"


def _no_aliases(text: str, where: str) -> None:
    """Raise SkillError on YAML aliases: a few lines of them can expand to gigabytes."""
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 2 if event.start_mark else 2
            raise SkillError(
                f"{where}, line {line}: YAML aliases are not read.", hint="Write the value out."
            )


def _line_of(lines: list[str], end: int, detail: str) -> int:
    """Return the line that a `check_text` error is about; `end` is the index of the closing
    `---`."""
    if detail.endswith(" has no body."):
        return end + 1
    if detail.startswith("The body of "):
        return next((i for i, line in enumerate(lines, 1) if i > end + 1 and line.strip()), end + 1)
    control = re.search(r"U\+([0-9A-F]{4,6})\.$", detail)
    if control:
        sign = chr(int(control[1], 16))
        return next((i for i, line in enumerate(lines, 1) if sign in line), 2)
    about = detail.endswith(" has no description.") or detail.startswith("The description of ")
    key = "description" if about else "name"
    return _key_line(lines, key)


def line_of_key(data: bytes, key: str) -> int:
    """Return the line number of a key in the front matter (YAML header) of a valid SKILL.md."""
    return _key_line(data.decode("utf-8-sig").splitlines(), key)


def _key_line(lines: list[str], key: str) -> int:
    return next((i for i, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 2)
