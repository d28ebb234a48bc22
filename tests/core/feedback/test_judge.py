"""Tests that a model in training is not accepted as the judge of its own answers."""

from __future__ import annotations

import pytest

from lull.core.feedback.judge import grades_itself


@pytest.mark.parametrize(
    ("judge", "elsewhere", "itself"),
    [
        ("llama3.2:latest", False, True),
        ("llama3.2:latest", True, False),
        ("mistral", False, False),
        ("", False, False),
    ],
)
def test_the_model_that_learns_is_no_judge_of_its_own(
    judge: str, elsewhere: bool, itself: bool
) -> None:
    assert grades_itself(judge, "llama3.2", elsewhere=elsewhere) is itself
