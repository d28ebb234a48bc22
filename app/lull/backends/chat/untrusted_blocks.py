"""Encloses untrusted text in a prompt, as data, between marker lines that the text cannot forge.

The markers carry a random code drawn per prompt. A text cannot close its own block because it does
not know the code; a code that occurs in the texts is lengthened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lull.core.chat.context_window import TokenRate
from lull.core.chat.messages import Message, PartKind, Role
from lull.core.ports import RandomNumbers

LEAST_LEFT_TOKENS = 40
"""Further messages are left out of a prompt once fewer tokens than this remain."""
_RATE = TokenRate()


@dataclass(frozen=True, slots=True)
class BlockMarks:
    """The marker lines that enclose untrusted text in one prompt."""

    code: str

    def line(self, label: str) -> str:
        """Return the marker line with this label, which begins or ends a block."""
        return f"<<<{label} {self.code}>>>"

    def block(self, label: str, text: str) -> str:
        """Enclose an untrusted text in marker lines with this label."""
        return f"{self.line(label)}\n{text}\n{self.line(f'end of {label}')}"


def make_block_marks(coin: RandomNumbers, texts: Iterable[str]) -> BlockMarks:
    """Make marker lines to put around untrusted texts, with a random code, drawn with `coin`, that
    occurs in none of the texts.

    The code has 48 bits or more.
    """
    everything = "\n".join(texts).lower()
    code = _digits(coin, 12)
    while code in everything:
        code += _digits(coin, 4)  # longer each time, so it ends even with a biased coin
    return BlockMarks(code)


def _digits(coin: RandomNumbers, count: int) -> str:
    return format(int(coin.random() * 16**count), f"0{count}x")


def drawn_seed(coin: RandomNumbers) -> int:
    """Draw a random seed for a model's sampling."""
    return int(coin.random() * 2**31)


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text has, erring high because tokenizers differ."""
    return _RATE.text_tokens(text)


def clip_middle(text: str, most_tokens: int) -> str:
    """Cut the middle out of a text that has more than `most_tokens`, noting how much was cut."""
    size = estimate_tokens(text)
    if size <= most_tokens:
        return text
    kept = max(len(text) * most_tokens // size, 2)
    head, tail = 2 * kept // 3, kept - 2 * kept // 3
    return f"{text[:head]}\n[… {len(text) - kept} characters left out …]\n{text[-tail:]}"


def message_as_text(message: Message) -> str:
    """Render a chat message as text: its words, its tool calls, and notes about other parts."""
    lines = [message.text] if message.text else []
    lines += ["[an image]" for part in message.parts if part.kind is PartKind.IMAGE]
    lines += ["[a part of another kind]" for p in message.parts if p.kind is PartKind.OPAQUE]
    lines += [f"[calls the tool {call.name} with {call.arguments}]" for call in message.tool_calls]
    return "\n".join(lines)


def render_conversation(
    marks: BlockMarks, messages: Sequence[Message], most_tokens: int, last: int
) -> str:
    """Render the newest messages of a conversation that fit into `most_tokens` of a prompt, each
    below a marker line with its role.

    Half of `most_tokens` is for the user's newest message; at most `last` others are shown.
    """
    newest = max((at for at, m in enumerate(messages) if m.role is Role.USER), default=-1)
    left_tokens = most_tokens
    shown: dict[int, str] = {}
    for at in _by_weight(newest, len(messages), last):
        most = most_tokens // 2 if at == newest else min(left_tokens, most_tokens // 4)
        if left_tokens > LEAST_LEFT_TOKENS:
            shown[at] = clip_middle(message_as_text(messages[at]), most)
            left_tokens -= estimate_tokens(shown[at])
    marked = ((marks.line(messages[at].role.value), text) for at, text in sorted(shown.items()))
    return "\n".join(line for pair in marked for line in pair)


def _by_weight(newest: int, count: int, last: int) -> list[int]:
    """Return the messages' indexes by priority: the user's newest message, then newest to
    oldest."""
    others = [at for at in reversed(range(max(0, count - last), count)) if at != newest]
    return [newest, *others] if newest >= 0 else others
