"""A kind of request, with the texts that its requests are put together from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of request: what a user calls it, its forms and the subjects that fill them."""

    called: tuple[str, ...]
    """Names that fit into "Keep … short."."""
    forms: tuple[str, ...]
    subjects: tuple[str, ...]
