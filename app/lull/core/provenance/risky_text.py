"""Finds text that must not enter a prompt unnoticed: links, addresses, commands, permissions, role
marks.

Exact forms only, the same in every language. Whether a finding is only shown or stops a proposed
skill depends on who typed it and is decided in screening.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lull.core.provenance.flags import FlagKind

_ENDINGS: Final = (
    "com net org edu gov io ai app dev co me info biz xyz top online site shop store club cloud"
    " link click live news pro tech ru cn de fr es it uk eu us ch at nl pl br in jp kr tv cc ly gg"
    " example test onion tk ml su to ws space website fun icu zip mov"
)
_DOMAIN: Final = rf"(?:{'|'.join(_ENDINGS.split())})"
_LINK: Final = (
    r"\b(?:https?|ftps?|file|wss?|ssh|mailto|tel|magnet|ipfs)://?[^\s<>\"'”)\]]+"
    r"|\bwww\.[^\s<>\"'”)\]]+|\b(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?"
    rf"|(?<![\w.-])(?:[a-z0-9-]{{1,63}}\.){{1,8}}{_DOMAIN}\b(?:/[^\s<>\"'”)\]]*)?"
    r"|\b[a-z0-9-]{2,} ?(?:\[\.\]|\(\.\)|\(dot\)|\[dot\]) ?(?:com|net|org|io|dev|ai|app|example)\b"
)
_NO_LINK: Final = frozenset(("asp.net", "vb.net", "ado.net", "ml.net", "socket.io", "draw.io"))
_MAIL: Final = r"(?<![\w.+-])[\w.+-]{1,64} ?(?:@|\(at\)|\[at\]) ?[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
_PHONE: Final = r"(?<![\w.])(?:\+\d|\(?0\d)[\d ()/.-]{6,16}\d(?![\w-])"
_BLOB: Final = (
    r"(?<![\w+/=-])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*\d)"
    r"[A-Za-z0-9+/_-]{24,}={0,2}|(?<!\w)[0-9a-fA-F]{32,}(?!\w)|(?:\\x[0-9a-fA-F]{2}){4,}"
    r"|(?:\\u[0-9a-fA-F]{4}){4,}|(?:%[0-9a-fA-F]{2}){6,}|(?:&#x?\w{1,6};){4,}"
    r"|(?:\\[0-3][0-7]{2}){4,}|(?:=[0-9A-F]{2}){4,}"
)
_TOOLS: Final = (
    r"\b(?:pip3?|npm|pnpm|yarn|brew|apt(?:-get)?|dnf|yum|cargo|gem|go|uv|conda|choco|winget|snap|"
    r"pacman|composer) +(?:install|add|get|i|-s)\b|\bnpx +\w"
    r"|\b(?:curl|wget) +(?:-|https?:|[\w.-]+\.\w)"
    r"|\b(?:ssh|scp|rsync|sftp|telnet|ftp) +(?:-|\S+@|\S+:|\S+\.\w{2,})|\bch(?:mod|own) +\S"
    r"|\bdocker +(?:run|exec|pull)|\bkubectl +\w|\bterraform +\w|\bsystemctl +\w"
    r"|\bgit +(?:clone|push|reset|remote|config|commit|rebase|checkout|add)\b|\bcrontab\b|\bsudo\b"
    r"|\b(?:python3?|node|ruby|perl|bash|sh) +-[ce]\b|\bkill(?:all)? +-?\w|\bsource +\S+/"
)
_SHELL: Final = (
    r"\brm +-\w*[rf]\w*|\|[ \t]*+(?:sudo +)?(?:ba|z|da|k)?sh\b|\b(?:bash|sh|zsh) +<\("
    r"|\bpowershell\b"
    r"|\biex\b|invoke-(?:expression|webrequest)|\bmkfs|\bdd +if=|:\(\)\s*\{|/dev/(?:sd|nvme|tcp)"
    r"|/etc/(?:passwd|shadow|sudoers|hosts)|\bid_(?:rsa|ed25519)\b|authorized_keys|~?/\.ssh\b"
    r"|\bnc +-\w*e|\bformat +c:|\bdel +/[sfq]|\brd +/s|\$\(\w|(?<=`)\w+ -\w|(?:^|\n)[ \t]*+[$>] \w"
    r"|base64 +(?:-d|--decode)|\bexport +\w+=|\bset +-[a-z]{1,4}\b|\bmshta\b|\bregsvr32\b"
    r"|\b(?:drop|truncate) +(?:table|database|schema)\b|\bdelete +from +\w+"
    r"|\b(?:eval|exec|system|popen|shell_exec|passthru)\s*\(|\bos\.(?:system|popen|environ)"
    r"|\bsubprocess\.\w|__import__|\bfetch\(|\brequests\.(?:get|post)|\bdocument\.cookie"
    r"|\bosascript\b"
)
_PERMISSION: Final = (
    r"\ballowed[-_ ]tools\b|--(?:privileged|dangerously[\w-]*|yolo|no-sandbox|no-verify)\b"
    r"|\bbypass_?permissions\b|\b(?:execute|run|call) (?:any|all|every|arbitrary) "
    r"(?:commands?|tools?|code|scripts?)\b|\bwithout (?:asking|confirmation|permission|approval)\b"
    r"|\bno need to ask\b"
)
_ROLE_MARK: Final = (
    r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?(?:start|end)_of_turn>|</?skills(?: [^>]{0,60})?>"
    r"|</s>|(?:^|\n)[ \t]*+#{2,} ?(?:system|instruction|assistant)\b[^\n]{0,20}:"
    r"|(?:^|\n)[ \t]*+(?:system|assistant|human|developer) ?:"
)
_MARKUP: Final = (
    r"</?(?:system|instructions?|assistant|user|human|tool_(?:call|result)|function_calls?)"
    r"(?: [^>]{0,60})?>|<!--|javascript:|data:text/html|\bonerror ?="
    r"|<(?:script|img|iframe|object|embed|link|meta|form)\b|!\[[^\]\n]{0,200}\]\("
)

_KINDS: Final = tuple(
    (kind, re.compile(pattern, re.IGNORECASE), why)
    for kind, pattern, why in (
        (FlagKind.CONTACT, _MAIL, "It contains an email address"),
        (FlagKind.CONTACT, _PHONE, "It contains a phone number"),
        (FlagKind.LINK, _LINK, "It contains a web address"),
        (FlagKind.COMMAND, f"{_SHELL}|{_TOOLS}", "It contains a command or code to run"),
        (FlagKind.PERMISSION, _PERMISSION, "It mentions a permission"),
        (FlagKind.MARKUP, _MARKUP, "It contains markup that a program may act on"),
    )
)
_BLOBS: Final = re.compile(_BLOB)
_ROLE_MARKS: Final = re.compile(_ROLE_MARK, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Risk:
    """A piece of a skill's text that could do harm, such as an order to send data away."""

    kind: FlagKind
    quote: str
    why: str
    """Explanation for the user: the beginning of a sentence."""


def risks(text: str) -> Iterator[Risk]:
    """Yield the parts of a text that are risky in a prompt (links, commands, role marks and so on);
    they are harmless only if the user typed them.
    """
    for kind, pattern, why in _KINDS:
        for match in pattern.finditer(text):
            quote = match.group().strip().rstrip(".,;:”")
            if quote.lower() not in _NO_LINK and "⟨" not in quote:
                yield Risk(kind, quote, why)
    for match in _BLOBS.finditer(text):
        yield Risk(FlagKind.ENCODED, match.group(), "It contains encoded text")


def role_marks(text: str) -> tuple[str, ...]:
    """Return the marks in a text that could end the block of skills in a prompt or begin a message
    of another role, such as `<|im_start|>system`; they are forbidden in skills, whoever typed them.
    """
    return tuple(dict.fromkeys(match.group().strip() for match in _ROLE_MARKS.finditer(text)))
