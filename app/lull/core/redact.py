"""Secrets become typed placeholders before anything is written.

The patterns are those that the issuers publish for their own keys, plus the common assignments.
A match is replaced, never the message: what the conversation was about stays readable.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lull.core.messages import Message, Part, ToolCall

_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----[\s\S]*?"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)",
    ),
    ("aws-key", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b"),
    ("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai-key", r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}"),
    ("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}\b"),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("stripe-key", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}\b"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi-token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("url-password", r"(?<=://)[^\s/:@]{1,64}:[^\s/@]{3,128}(?=@)"),
    ("bearer", r"(?i)(?<=\bbearer )[A-Za-z0-9._~+/-]{20,}=*"),
    (
        "password",
        r"(?i)(?<![A-Za-z])(?<!secret:url-)(?:pass(?:word|phrase|wd)|passwort|secret(?:[_-]?access)?[_-]?key|"
        r"api[_-]?key|auth[_-]?token|access[_-]?token|client[_-]?secret)"
        r"[\"']?\s*[:=]\s*[\"']?([^\s\"',;]{6,})",
    ),
)

_COMPILED = [(kind, re.compile(pattern)) for kind, pattern in _PATTERNS]
_HINT = re.compile(
    r"-----BEGIN|AKIA|ASIA|AGPA|AIDA|AROA|gh[pousr]_|github_pat_|glpat-|sk-|hf_|xox|AIza|"
    r"[sr]k_(?:live|test)|npm_|pypi-|eyJ|://|(?i:bearer |pass|secret|key|token)"
)

Number = Callable[[str, str], int]
"""(kind, secret) → its number; the same secret gets the same number."""


def redact_text(text: str, number: Number) -> str:
    """The text with each secret replaced by `⟨secret:KIND:N⟩`."""
    if not _HINT.search(text):
        return text
    for kind, pattern in _COMPILED:
        text = pattern.sub(partial(_placeholder, kind, number), text)
    return text


def _placeholder(kind: str, number: Number, match: re.Match[str]) -> str:
    # Only an assignment's value is secret: "password = …" keeps its left side.
    group = match.re.groups
    secret = match.group(group)
    if secret.startswith("⟨secret:"):
        return match.group(0)
    start, end = match.span(group)
    before = match.string[match.start() : start]
    return f"{before}⟨secret:{kind}:{number(kind, secret)}⟩{match.string[end : match.end()]}"


def redact_message(message: Message, number: Number) -> Message:
    parts = tuple(Part(kind=p.kind, text=redact_text(p.text, number)) for p in message.parts)
    calls = tuple(
        ToolCall(name=c.name, arguments=redact_text(c.arguments, number), id=c.id)
        for c in message.tool_calls
    )
    return replace(message, parts=parts, tool_calls=calls)
