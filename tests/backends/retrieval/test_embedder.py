"""Stored vectors are compared with new ones, so a text has the same vector in every version of Lull
that gives its embedder the same name.
"""

import math
import zlib
from collections import Counter

import numpy as np
import pytest

from lull.backends.retrieval.embedder import DIMENSIONS, HashedNgrams
from lull.core.skills.subject_words import stemmed_words, terms


def by_definition(text: str) -> list[float]:
    """Add up one feature after the other."""
    vector = [0.0] * DIMENSIONS

    def add(feature: str, weight: float) -> None:
        code = zlib.crc32(feature.encode())
        vector[code % DIMENSIONS] += weight if code >> 31 else -weight

    for word, count in Counter(terms(text)).items():
        padded = f"<{word}>"
        for n in (3, 4, 5):
            for at in range(len(padded) - n + 1):
                add(padded[at : at + n], 1 + math.log(count))
    for word, count in Counter(stemmed_words(text)).items():
        add(f"w {word}", 1.2 * (1 + math.log(count)))
    length = math.hypot(*vector)
    return [value / length for value in vector]


@pytest.mark.parametrize(
    "text",
    [
        "Draft the quarterly report.",
        "A report on the report of the report, with 3 figures and 14 tables for the the committee",
        "Schreibe eine E-Mail an Frau Müller wegen der Rechnung",
        "请帮我写一封邮件",
        f"invoice {'x' * 60}",
    ],
)
def test_a_text_has_the_vector_that_version_3_is_defined_by(text: str) -> None:
    assert HashedNgrams.name == "hashed-ngrams-3"
    (vector,) = HashedNgrams().embed([text])
    assert np.asarray(vector) == pytest.approx(by_definition(text), abs=1e-6)


def test_a_text_without_a_subject_has_no_vector() -> None:
    assert not any(HashedNgrams().embed(["thank you so much"])[0])
