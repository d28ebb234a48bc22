"""TEMPORARY shim so that others can import; the developer of stated rules overwrites this file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRule:
    name: str
    description: str
    body: str
    sentences: tuple[str, ...]
    standing: bool


def stated_rule(correction: str, *, asked: str) -> StatedRule | None:
    return None
