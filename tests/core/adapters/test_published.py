"""Who answers with the trained model."""

from __future__ import annotations

import pytest

from lull.core.adapters.published import answers_from_ollama


@pytest.mark.parametrize(
    ("serve", "metal", "ollama"),
    [
        ("ollama", True, True),
        ("ollama", False, True),
        ("engine", True, False),
        ("engine", False, False),
        ("auto", True, False),
        ("auto", False, True),
    ],
)
def test_ollama_answers_where_the_user_says_so_or_lulls_engine_is_slow(
    serve: str, metal: bool, ollama: bool
) -> None:
    assert answers_from_ollama(serve, metal=metal) is ollama
