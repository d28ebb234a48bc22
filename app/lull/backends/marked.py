"""Untrusted text as data in a prompt: between lines that it cannot forge, and of a bounded size.

The lines carry a code drawn for one question. Whatever a text says, it cannot close its own block,
because it does not know the code; should it hold it by chance, another is drawn. How a model is
told about the lines stands in the prompts under `resources/prompts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lull.core.messages import Message, PartKind, Role
from lull.core.ports import Coin
from lull.core.window import TokenRate

LEAST_ROOM_TOKENS = 40
"""With less room than this a message says nothing."""
_RATE = TokenRate()


@dataclass(frozen=True, slots=True)
class Marks:
    """The marked lines of one question."""

    code: str

    def line(self, label: str) -> str:
        return f"<<<{label} {self.code}>>>"

    def block(self, label: str, text: str) -> str:
        return f"{self.line(label)}\n{text}\n{self.line(f'end of {label}')}"


def drawn_marks(coin: Coin, texts: Iterable[str]) -> Marks:
    """Marks whose code, 48 bits of chance, occurs in none of the texts."""
    everything = "\n".join(texts).lower()
    code = _digits(coin, 12)
    while code in everything:
        code += _digits(coin, 4)  # longer each time, so that it ends even with a loaded coin
    return Marks(code)


def _digits(coin: Coin, count: int) -> str:
    return format(int(coin.random() * 16**count), f"0{count}x")


def drawn_seed(coin: Coin) -> int:
    return int(coin.random() * 2**31)


def tokens(text: str) -> int:
    """Estimated, on the safe side: no two models count alike."""
    return _RATE.text(text)


def clipped(text: str, most_tokens: int) -> str:
    """Head and tail of a text that is too long, and how much was left out between them."""
    size = tokens(text)
    if size <= most_tokens:
        return text
    kept = max(len(text) * most_tokens // size, 2)
    head, tail = 2 * kept // 3, kept - 2 * kept // 3
    return f"{text[:head]}\n[… {len(text) - kept} characters left out …]\n{text[-tail:]}"


def spoken(message: Message) -> str:
    """A message as a reader sees it: words, tool calls, and that something else was there."""
    lines = [message.text] if message.text else []
    lines += ["[an image]" for part in message.parts if part.kind is PartKind.IMAGE]
    lines += ["[a part of another kind]" for p in message.parts if p.kind is PartKind.OPAQUE]
    lines += [f"[calls the tool {call.name} with {call.arguments}]" for call in message.tool_calls]
    return "\n".join(lines)


def conversation(marks: Marks, messages: Sequence[Message], most_tokens: int, last: int) -> str:
    """The newest messages that fit, each under a marked line that names its speaker.

    The user's newest message, the task, has half of the room for itself; `last` bounds the count.
    """
    newest = max((at for at, m in enumerate(messages) if m.role is Role.USER), default=-1)
    room = most_tokens
    shown: dict[int, str] = {}
    for at in _by_weight(newest, len(messages), last):
        most = most_tokens // 2 if at == newest else min(room, most_tokens // 4)
        if room > LEAST_ROOM_TOKENS:
            shown[at] = clipped(spoken(messages[at]), most)
            room -= tokens(shown[at])
    marked = ((marks.line(messages[at].role.value), text) for at, text in sorted(shown.items()))
    return "\n".join(line for pair in marked for line in pair)


def _by_weight(newest: int, count: int, last: int) -> list[int]:
    """The task first, then from the newest message back."""
    others = [at for at in reversed(range(max(0, count - last), count)) if at != newest]
    return [newest, *others] if newest >= 0 else others
