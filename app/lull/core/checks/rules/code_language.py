"""Recognises programming languages: by their names in rules and requests, and by the code in an
answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lull.core.checks.code import blocks_of
from lull.core.checks.parts import is_sql

LANGUAGES: Final[Mapping[str, tuple[str, str]]] = {
    "python": (r"\bpython\b|\bpandas\b|\bdjango\b|\bflask\b|\bnumpy\b|\bpytest\b", "python py"),
    "javascript": (
        r"\bjavascript\b|\btypescript\b|\bjs\b|\bts\b|\breact\b|\bnode(?:\.?js)?\b|\bvue\b",
        "javascript js jsx typescript ts tsx",
    ),
    "sql": (
        r"\bsql\b|\bpostgres\w*|\bmysql\b|\bsqlite\b|\bquer(?:y|ies)\b",
        "sql postgresql mysql",
    ),
    "shell": (r"\bshell\b|\bbash\b|\bzsh\b", "sh bash shell zsh console"),
    "java": (r"\bjava\b", "java"),
    "c++": (r"\bc\+\+", "cpp c++"),
    "c": (r"\b(?:in|of|for) (?-i:C)\b(?![+#'])|\b(?:in|for) c(?=[\s.,?!]*$)|^c:", "c"),
    "c#": (r"\bc#|\bcsharp\b|\.net\b", "csharp cs c#"),
    "go": (r"\bgolang\b|\bin go\b|\b(?-i:Go)\b(?= code| func)|^go:", "go golang"),
    "rust": (r"\brust\b", "rust rs"),
    "ruby": (r"\bruby\b|\brails\b", "ruby rb"),
    "php": (r"\bphp\b|\blaravel\b", "php"),
    "kotlin": (r"\bkotlin\b", "kotlin kt"),
    "swift": (r"\bswift\b", "swift"),
    "css": (r"\bs?css\b", "css scss"),
    "html": (r"\bhtml\b", "html"),
    "yaml": (r"\byaml\b", "yaml yml"),
    "r": (r"\bin (?-i:R)\b|^r:", "r"),
}
"""Programming languages by name: a pattern for mentions, and the tags of code fences."""
_TAGS: Final = {tag: name for name, (_, tags) in LANGUAGES.items() for tag in tags.split()}
_LOOKS: Final = {
    "python": r"^\s*(?:def \w+\(.*:|class \w+.*:|import \w+|from [\w.]+ import |print\()",
    "javascript": r"^\s*(?:export |async )*(?:const|let|var) [\w{\[]|=>|\bconsole\.log\b|"
    r"^\s*(?:export |async )*function\b",
    "go": r"^\s*func .*\{\s*$|^package \w+",
    "rust": r"^\s*(?:pub )?fn \w+",
    "c": r"^\s*#include|^\s*(?:int|void|char|struct \w+) \*?\w+\(.*\)",
    "css": r"^[\w.#:\s>,-]+\{\s*$\n\s*[\w-]+\s*:",
    "html": r"^\s*<(?:!doctype|html|div|p|a|ul|form|table|button)\b",
    "shell": r"^#!.*sh|^\s*(?:for \w+ in .*; do|grep |find |curl |git |ls |awk |sed |echo )",
}


def named(text: str) -> set[str]:
    """Return the programming languages that a text names."""
    return {
        name for name, (pattern, _) in LANGUAGES.items() if re.search(pattern, text, re.IGNORECASE)
    }


def code_languages_in(answer: str) -> set[str]:
    """Return the programming languages of the code in an answer; empty if there is no code or its
    language is unclear.
    """
    if is_sql(answer):
        return {"sql"}
    blocks = blocks_of(answer)
    tagged = {_TAGS[block.language] for block in blocks if block.language in _TAGS}
    if tagged or not (blocks or _short_code(answer)):
        return tagged
    code = "\n".join(block.code for block in blocks) or answer
    looks = [name for name, mark in _LOOKS.items() if re.search(mark, code, re.MULTILINE)]
    return set(looks[:1])


def has_code(answer: str) -> bool:
    """Return whether there is source code in an answer."""
    return bool(blocks_of(answer)) or _short_code(answer) or is_sql(answer) or "`" in answer


def _short_code(answer: str) -> bool:
    """Whether the answer is mostly lines that look like code."""
    lines = [line for line in answer.splitlines() if line.strip()]
    coded = sum(
        re.search(r"[;{}]\s*$|^\s*[\w.]+\(.*\)\s*$|=>|^\s*\w+ = \S|^\s*return\b", line) is not None
        for line in lines
    )
    return bool(lines) and coded * 2 >= len(lines)
