"""Checks of the code in a model's answer: type hints, indentation, comments, whether it parses.

One small scanner finds comments and strings for families of programming languages; for an unknown
language the checks do not apply.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.checks.check import Check
from lull.core.checks.shapes import looks_like_code
from lull.core.checks.text import Block, split_code

_PYTHON: Final = frozenset(("python", "py", "python3", "py3"))
_HASH: Final = frozenset(
    [
        "sh",
        "bash",
        "zsh",
        "shell",
        "console",
        "ruby",
        "rb",
        "yaml",
        "yml",
        "r",
        "perl",
        "toml",
        "make",
        "makefile",
        "dockerfile",
        "elixir",
        "ini",
        "conf",
        "powershell",
        "ps1",
        "nginx",
    ]
)
_SLASH: Final = frozenset(
    [
        "javascript",
        "js",
        "jsx",
        "typescript",
        "ts",
        "tsx",
        "java",
        "c",
        "cpp",
        "c++",
        "cs",
        "csharp",
        "c#",
        "go",
        "golang",
        "rust",
        "rs",
        "php",
        "kotlin",
        "kt",
        "swift",
        "scala",
        "dart",
        "css",
        "scss",
        "less",
        "jsonc",
        "groovy",
        "objc",
    ]
)
_DASH: Final = frozenset(
    [
        "sql",
        "postgres",
        "postgresql",
        "psql",
        "mysql",
        "sqlite",
        "plsql",
        "tsql",
        "lua",
        "haskell",
        "hs",
    ]
)
_MARKUP: Final = frozenset(["html", "xml", "svg", "vue", "markdown", "md"])
_CODE_LANGUAGES: Final = _PYTHON | _HASH | _SLASH | _DASH | _MARKUP


@dataclass(frozen=True, slots=True)
class Literal:
    """A string literal in source code, with its quotation mark."""

    quote: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """The comments and string literals that were found in a piece of source code."""

    known: bool
    """Whether comments could be recognised, because the code's language is known."""
    comments: tuple[str, ...] = ()
    strings: tuple[Literal, ...] = ()


def blocks_of(answer: str) -> tuple[Block, ...]:
    """Return the code blocks of a model's answer. If the whole answer is code without a fence, it
    is one block.
    """
    _, blocks = split_code(answer)
    if not blocks and looks_like_code(answer):
        return (Block(language="", code=answer.strip("\n")),)
    return tuple(block for block in blocks if block.code.strip())


# -- comments and strings ----------------------------------------------------------------------


def scanned(block: Block) -> Scanned:
    """Find the comments and string literals in a code block."""
    family = _family(block)
    if not family:
        return Scanned(known=False)
    line, opens, closes, quotes = _SYNTAX[family]
    pattern = _pattern(line, opens, closes, quotes)
    comments, strings = [], []
    for found in pattern.finditer(block.code):
        if found["comment"]:
            comments.append(found["comment"])
        else:
            quote = found["quote"]
            strings.append(Literal(quote, found["string"][len(quote) : -len(quote)]))
    kept = tuple(one for one in comments if not one.startswith("#!"))
    return Scanned(known=True, comments=kept, strings=tuple(strings))


_SYNTAX: Final = {
    "python": (r"#[^\n]*", "", "", "\"\"\"|'''|\"|'"),
    "hash": (r"(?:(?<=\s)|^)#[^\n]*", "", "", "\"|'"),
    "slash": (r"(?<!:)//[^\n]*", r"/\*", r"\*/", "\"|'|`"),
    "dash": (r"--[^\n]*", r"/\*", r"\*/", "\"|'"),
    "markup": ("", "<!--", "-->", '"'),
}
"""Syntax by family of languages: a line comment, the start and end of a block comment, quotation
marks.
"""


def _pattern(line: str, opens: str, closes: str, quotes: str) -> re.Pattern[str]:
    kinds = [line, rf"{opens}[\s\S]*?(?:{closes}|\Z)" if opens else ""]
    comment = "|".join(kind for kind in kinds if kind)
    string = rf"(?P<quote>{quotes})(?:\\.|(?!(?P=quote))[\s\S])*(?P=quote)"
    return re.compile(rf"(?P<string>{string})|(?P<comment>{comment})", re.MULTILINE)


def _family(block: Block) -> str:
    for name, languages in (
        ("python", _PYTHON), ("hash", _HASH), ("slash", _SLASH), ("dash", _DASH),
        ("markup", _MARKUP),
    ):  # fmt: skip
        if block.language in languages:
            return name
    if block.language:
        return ""
    if _tree(block.code) is not None:
        return "python"
    if re.match(r"\s*(?:select|insert|update|create|with|delete)\b", block.code, re.IGNORECASE):
        return "dash"
    if re.search(r"(?:;\s*(?:do|then)|^\s*(?:done|fi))$|^#!.*sh", block.code, re.MULTILINE):
        return "hash"
    if re.search(r"[;{]\s*$|^\s*(?:export )?(?:const|let) ", block.code, re.MULTILINE):
        return "slash"
    return ""


_STRING: Final = re.compile(
    r"\"\"\"[\s\S]*?\"\"\"|\'\'\'[\s\S]*?\'\'\'|\"(?:\\.|[^\"\\\n])*\"|(?<![\w])'(?:\\.|[^'\\\n])*'|"
    r"`(?:\\.|[^`\\])*`"
)


def without_strings(code: str) -> str:
    """Return the code with all string contents removed, in any programming language."""
    return _STRING.sub('""', code)


def no_code_comments(check: Check, answer: str) -> bool | None:
    """Check that the code in an answer has no comments; None if that cannot be told."""
    found = [scanned(block) for block in blocks_of(answer)]
    if not found:
        return None
    if any(one.comments for one in found):
        return False
    return True if all(one.known for one in found) else None


# -- Python ------------------------------------------------------------------------------------


def _tree(code: str) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _trees(answer: str) -> Iterator[ast.Module]:
    for block in blocks_of(answer):
        if (block.language in _PYTHON or not block.language) and (tree := _tree(block.code)):
            yield tree


def type_hints(check: Check, answer: str) -> bool | None:
    """Whether the Python functions in an answer have type annotations for every parameter, except
    self and cls, and for every result, except that of __init__. None if the answer has no
    functions.
    """
    functions = [
        node
        for tree in _trees(answer)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return all(_is_hinted(one) for one in functions) if functions else None


def _is_hinted(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    named = function.args
    listed = [*named.posonlyargs, *named.args, *named.kwonlyargs]
    listed += [one for one in (named.vararg, named.kwarg) if one is not None]
    hinted = all(one.annotation is not None or one.arg in ("self", "cls") for one in listed)
    return hinted and (function.returns is not None or function.name == "__init__")


def code_parses(check: Check, answer: str) -> bool | None:
    """Whether the Python and JSON code blocks of an answer parse; other languages are not checked.
    None if there are no such blocks.
    """
    found = []
    for block in blocks_of(answer):
        if block.language in _PYTHON:
            found.append(_tree(block.code) is not None)
        elif block.language == "json":
            found.append(_is_json(block.code))
    return all(found) if found else None


def _is_json(code: str) -> bool:
    try:
        json.loads(code)
    except (ValueError, RecursionError):
        return False
    return True


# -- indent ------------------------------------------------------------------------------------


def indent(check: Check, answer: str) -> bool | None:
    """Whether the code in an answer is indented as the check says: its `value` is tabs or spaces,
    its `at_least` the number of spaces per level. None if the code has no indentation.
    """
    verdicts = [
        _indented(check, block.code.splitlines())
        for block in blocks_of(answer)
        if block.language in _CODE_LANGUAGES or not block.language or block.language == "json"
    ]
    told = [verdict for verdict in verdicts if verdict is not None]
    return all(told) if told else None


def _indented(check: Check, lines: Sequence[str]) -> bool | None:
    lines = [line for line in lines if line.strip() and not re.match(r"\s+\*", line)]
    leads = [line[: len(line) - len(line.lstrip())] for line in lines]
    if not any(leads):
        return None
    if check.value == "tabs":
        return all(not lead or lead.startswith("\t") for lead in leads)
    if any("\t" in lead for lead in leads):
        return False
    if check.at_least is None:
        return True
    steps = _steps(lines, [len(lead) for lead in leads])
    return all(step == check.at_least for step in steps) if steps else None


def _steps(lines: Sequence[str], depths: Sequence[int]) -> list[int]:
    """Return the indentation steps of the code, preferably those after a line that opens a
    block."""
    pairs = [
        (line.split("#")[0].rstrip(), after - before)
        for line, before, after in zip(lines, depths, depths[1:], strict=False)
        if after > before
    ]
    opened = [step for line, step in pairs if line.endswith((":", "{", "[", "(", " then", " do"))]
    return opened or [step for _, step in pairs]
