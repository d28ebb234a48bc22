"""Tests of what the reader is given of texts that broken clients send."""

from __future__ import annotations

from lull.core.feedback.exchange import Exchange
from lull.engine.reader.reading import cleaned


def test_what_nobody_sees_is_not_read() -> None:
    sent = Exchange(asked="a\x00\tb", answer="c\x1b\nd", said="tha\0nks\0, that\0 is \ud83d all")
    seen = Exchange(asked="a\tb", answer="c\nd", said="thanks, that is \ufffd all")
    assert cleaned(sent) == seen
