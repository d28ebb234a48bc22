"""Secrets become typed placeholders before anything is written.

The patterns are those that the issuers publish for their own keys, plus the common assignments.
A match is replaced, never the message: what the conversation was about stays readable. Code that
only names a secret (`password = read_password()`) holds none and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lull.core.messages import Message, Part, ToolCall

_KEY_LIKE = r"(?=[A-Za-z0-9_-]{0,80}[A-Za-z0-9]{12})(?=[A-Za-z0-9_-]{0,80}\d)"
"""A run of letters and digits, some digit in it: kebab-case names have neither. Every look ahead
is bounded, or a hostile text would cost the square of its length."""

_NO_VALUE = (
    r"(?!⟨|[$<{\[(*%]|\.\.\.|x{3,}|(?:your|my|the|some|no|a|an)[ _-]|"
    r"(?:none|null|nil|undefined|true|false|str(?:ing)?|bytes|text|required|optional|example|"
    r"return|raise|continue|redacted|hidden|secret|password|placeholder|invalid|incorrect|missing|wrong|empty)\b|"
    r"[A-Za-z_][\w.]*(?:\(|\[|\.[A-Za-z_]))"
)
"""What stands in place of a value: a variable, a call, a type, a gap to fill in."""

_SECRET_NAME = (
    r"(?:pass(?:word|phrase|wd)|passwort|pwd|secret(?:[_-]?access)?[_-]?key|api[_-]?key|"
    r"(?:auth|access|refresh|bot|session)[_-]?token|(?:client|app|webhook)[_-]?secret|account[_-]?key)"
)
_ASSIGNED = r"\\?[\"']?\s*(?::=|=>|[:=])\s*"

_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("age-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("aws-key", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b"),
    ("gitlab-token", r"\bgl(?:pat|rt|dt|ptt|cbt)-[A-Za-z0-9_-]{20,}"),
    ("anthropic-key", rf"(?<![\w-])sk-ant-{_KEY_LIKE}[A-Za-z0-9_-]{{20,}}"),
    ("openai-key", rf"(?<![\w-])sk-{_KEY_LIKE}[A-Za-z0-9_-]{{20,}}"),
    ("model-key", r"\b(?:gsk_|xai-|pplx-|r8_|nvapi-|fw_)(?=[\w-]{0,80}\d)[A-Za-z0-9_-]{32,}"),
    ("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}\b"),
    ("slack-token", r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}"),
    ("webhook", r"\bhooks\.slack\.com/services/(T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]{16,})"),
    ("webhook", r"\bdiscord(?:app)?\.com/api/webhooks/(\d{15,}/[A-Za-z0-9_-]{40,})"),
    (
        "google-key",
        r"\b(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})",
    ),
    ("stripe-key", r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,})"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi-token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    ("sendgrid-key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio-key", r"\bSK[0-9a-f]{32}\b"),
    ("shop-token", r"\b(?:shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,})"),
    (
        "service-token",
        r"\b(?:do[opr]_v1_[0-9a-f]{64}|dckr_pat_[A-Za-z0-9_-]{20,}|hv[sb]\.[A-Za-z0-9_-]{20,}|"
        r"dapi[0-9a-f]{32}|lin_api_[A-Za-z0-9]{32,}|glsa_[A-Za-z0-9_]{32,}|figd_[A-Za-z0-9_-]{32,}|"
        r"sbp_[0-9a-f]{40}|ntn_[A-Za-z0-9]{40,}|NRAK-[A-Z0-9]{27}|PMAK-[A-Za-z0-9-]{50,}|"
        r"ATATT3[A-Za-z0-9_=-]{50,}|dp\.(?:pt|st)\.[A-Za-z0-9_.-]{30,})",
    ),
    ("telegram-token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,34}\b"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("url-password", r"(?<=://)[^\s/:@\"'<>]{0,64}:[^\s/\"'<>]{2,128}(?=@[A-Za-z0-9\[])"),
    ("bearer", r"(?i)(?<=\bbearer )(?=\S{0,80}\d)[A-Za-z0-9._~+/-]{20,}=*"),
    ("basic-auth", r"(?i)(?<=authorization: basic )[A-Za-z0-9+/]{8,}={0,2}"),
    # Quoted: whatever stands between the quotes, spaces too.
    (
        "password",
        rf"(?i)(?<![A-Za-z])(?<!secret:)(?<!secret:url-){_SECRET_NAME}{_ASSIGNED}"
        rf"(?:\\?\"{_NO_VALUE}([^\"\\\n]{{6,200}})\\?\"|'{_NO_VALUE}([^'\n]{{6,200}})')",
    ),
    # Bare: letters alone are a password only where the line or the list goes on behind them.
    (
        "password",
        rf"(?i)(?<![A-Za-z])(?<!secret:)(?<!secret:url-){_SECRET_NAME}{_ASSIGNED}{_NO_VALUE}"
        r"((?=[^\s\"',;&]{0,80}[^A-Za-z\s\"',;&])[^\s\"',;&]{6,}|[A-Za-z]{6,}(?=\s*(?:[\n,;&]|$)))",
    ),
    (
        "password",
        r"(?i)\bpass(?:word|wort|phrase) (?:is|ist|lautet|=)(?: now| jetzt)?:? *[\"'`]?"
        r"((?=[^\s\"'`]{0,80}\d)[^\s\"'`,;]{5,}[^\s\"'`,;.])",
    ),
    # The environment's way: GITHUB_TOKEN, PGPASSWORD, ENCRYPTION_KEY.
    (
        "password",
        rf"(?<![A-Za-z])(?<!secret:)[A-Z][A-Z0-9_]{{0,60}}(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|PWD)"
        rf"\s?[:=]\s?[\"'`]?{_NO_VALUE}((?=[^\s\"'`]{{0,80}}\d)[^\s\"'`,;&⟨]{{6,}}[^\s\"'`,;&⟩])",
    ),
    ("token", r"(?i)(?<=authorization: token )[A-Za-z0-9._~+/-]{16,}"),
    ("password", r"\bcurl\b[^\n]{0,200}?\s-u ?[\"']?[\w.@+-]{1,64}:([^\s\"'⟨]{4,})"),
    ("password", r"\bsshpass -p ?[\"']?([^\s\"'⟨]{4,})"),
    ("password", r"(?i)<(?:password|passwd|secret|token|api[-_]?key)>([^<\s⟨]{4,200})</"),
    ("password", r"(?i)(?<![A-Za-z])pw\s?[:=]\s?((?=[^\s\"']{0,80}\d)[^\s\"',;⟨]{6,})"),
    # Said in passing, without a sign: "use password hunter2x". Names of methods have digits too.
    (
        "password",
        r"(?i)\bpass(?:word|wort|phrase|code) [\"'`]?"
        r"((?!(?:sha|md|base|utf|oauth|bcrypt|argon|scrypt|pbkdf|python|https?|tls|ipv|v)[-_]?\d)"
        r"(?=[^\s\"'`]{0,80}\d)(?=[^\s\"'`]{0,80}[A-Za-z])[^\s\"'`,;()⟨]{6,}[^\s\"'`,;().!?⟩])",
    ),
    (
        "token",
        r"(?i)(?<![A-Za-z])(?<!secret:)token\\?[\"']?\s*[:=]\s*\\?[\"']?((?=[\w-]{0,80}\d)[A-Za-z0-9_-]{20,})",
    ),
)

_COMPILED = [(kind, re.compile(pattern)) for kind, pattern in _PATTERNS]
_HINT = re.compile(
    r"-----BEGIN|AGE-|AKIA|ASIA|AGPA|AIDA|AROA|gh[pousr]_|github_pat_|gl\w{2,3}-|sk-|gsk_|xai-|pplx-|"
    r"r8_|nvapi-|fw_|hf_|xox|xapp|hooks\.|webhooks|AIza|GOCSPX|ya29|[sr]k_(?:live|test)|npm_|"
    r"pypi-|SG\.|SK[0-9a-f]|shp|sq0|do[opr]_v1|dckr_|hv[sb]\.|dapi|lin_api|glsa_|figd_|sbp_|ntn_|"
    r"NRAK|PMAK|ATATT3|dp\.|:AA|eyJ|://|-u |(?i:bearer |basic |pass|pwd|pw|secret|key|token)"
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
    group = match.lastindex or 0
    secret = match.group(group)
    if "⟨secret:" in secret:
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
