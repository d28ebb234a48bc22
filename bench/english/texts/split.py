"""Splits the tables of texts, which are written as one long text each, into their entries."""

from __future__ import annotations


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


def parts(text: str) -> tuple[str, ...]:
    """Split at "|"; line breaks within an entry count as spaces."""
    return tuple(" ".join(part.split()) for part in text.split("|"))


def items(text: str) -> tuple[str, ...]:
    """Split at "|" and at line ends; a backslash joins a long entry that had to be cut in two."""
    return parts(text.strip().replace("\n", "|"))
