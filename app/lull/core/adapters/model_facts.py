"""Facts about the model that will answer a request: digest of its weights, context window, system
text and LoRA adapter.
"""

from __future__ import annotations

from dataclasses import dataclass

from lull.core.adapters.adapter import Shadow


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Facts about the model that will answer a request, as its server has loaded it: the digest of
    its weights, its context window, its system text and its adapter.
    """

    digest: str
    window_tokens: int | None
    """The model's context window in tokens: as it is loaded, or would be."""
    system: str
    """The model's own SYSTEM text, which a system message in the request would replace."""
    template_sha256: str
    adapter: str | None = None
    learned: frozenset[str] = frozenset()
    """sha256 of the skills that the answering adapter has learned, which are left out of the
    prompt.
    """
    shadow: Shadow | None = None
    """A second adapter that answers a share of new conversations; None if there is none."""
    longest_tokens: int | None = None
    """The largest context window, in tokens, that the model can be given; None if unknown."""
    reads_suffixes: bool = True
    """Whether the model reads skills appended to user messages. The built-in model does not: for
    it, a skill approved during a conversation takes effect in the next one.
    """
