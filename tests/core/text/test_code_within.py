"""Tests of where code begins in what somebody wrote."""

from __future__ import annotations

import pytest

from lull.core.text.code_within import CodeKind, code_begin


@pytest.mark.parametrize(
    ("text", "before", "kind"),
    [
        ('Answer with {"name": "x"} only', "Answer with ", CodeKind.JSON),
        ("Answer with {'name': 'x'} only", "Answer with ", CodeKind.JSON),
        ("Answer with {name: 1}", "Answer with ", CodeKind.JSON),
        ('A list like ["a", "b"]', "A list like ", CodeKind.JSON),
        ('[{"a": 1}]', "", CodeKind.JSON),
        ('cut off {"name": "x, and so on', "cut off ", CodeKind.JSON),
        ("Like so: ```python\nprint(1)\n```", "Like so: ", CodeKind.CODE),
        ('Like so: ```json\n{"a": 1}\n```', "Like so: ", CodeKind.JSON),
        ('Like so: ``` {"a": 1} ```', "Like so: ", CodeKind.JSON),
    ],
)
def test_code_begins_behind_what_was_said(text: str, before: str, kind: CodeKind) -> None:
    found = code_begin(text)
    assert found is not None
    assert (text[: found.at], found.kind) == (before, kind)


@pytest.mark.parametrize(
    "text",
    [
        "use dashes [and nothing else]",
        "answer about {topic}: be brief",
        "write `ls -l` as it is",
        "put names in [brackets], please",
        "",
    ],
)
def test_brackets_and_names_of_commands_are_no_code(text: str) -> None:
    assert code_begin(text) is None
