"""Tests of setting one value in a JSON file: every other character stays as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.clients.json_edit import set_in_json
from lull.core.clients.json_text import read_json
from lull.core.errors import ClientFileError

ADDRESS = "http://127.0.0.1:11435"
PATH = ["language_models", "ollama", "api_url"]
KEYS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def is_kept(old: str, new: str) -> bool:
    """Whether every character of the old text stands in the new one, in the same order."""
    rest: Iterator[str] = iter(new)
    return all(char in rest for char in old)


@pytest.mark.slow
@given(
    st.dictionaries(KEYS, VALUES, max_size=5),
    st.sampled_from([None, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_whatever_the_file_holds_only_the_value_is_added(
    document: dict[str, object], indent: int | str | None, newline: str, ascii_only: bool
) -> None:
    document = {key: value for key, value in document.items() if key != PATH[0]}
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only).replace("\n", newline)
    new = set_in_json(text, PATH, ADDRESS)
    assert json.loads(new) == {**document, PATH[0]: {PATH[1]: {PATH[2]: ADDRESS}}}
    assert is_kept(text, new)
    assert set_in_json(new, PATH, ADDRESS) == new
    other = set_in_json(new, PATH, "http://127.0.0.1:5")
    assert other == new.replace(json.dumps(ADDRESS), '"http://127.0.0.1:5"')


ODD = [
    "",
    "// nothing yet\n",
    "{}",
    "{\n}",
    "{ }\n",
    "{\n  // only a comment\n}\n",
    "{ // a comment\n}\n",
    '{"a": 1}',
    '{"a": 1,}',
    '{ "a": 1 }',
    '{\n  "a": 1\n}',
    '{\n  "a": 1, // why\n}\n',
    '{\n  "a": 1 // why\n}\n',
    '{\n  "a": 1 /* why */\n}\n',
    '{\n  "a": 1\n  // the end\n}\n',
    '{\n  "a": 1, "b": 2 }\n',
    '{\n  "a": 1 }\n',
    '{\n\t"a": [1, 2,], // list\n\t"b": {"c": "}"},\n}\n',
    "{a: 1, 'b': 'it\\'s', c: +.5, d: Infinity,}",
    '{"language_models": {}}',
    '{"language_models": {"openai": {"api_url": "x"}}}',
    '{\n  "language_models": {\n    // mine\n    "ollama": {}\n  }\n}\n',
    '\ufeff{\r\n  "a": 1\r\n}\r\n',
]


@pytest.mark.parametrize("text", ODD)
def test_comments_commas_and_layout_stay(text: str) -> None:
    new = set_in_json(text, PATH, ADDRESS)
    assert is_kept(text.replace(" ", ""), new)
    root = read_json(new.removeprefix("\ufeff"))
    assert root is not None
    assert ADDRESS in str(root.plain())
    assert set_in_json(new, PATH, ADDRESS) == new
    assert new.startswith("\ufeff") == text.startswith("\ufeff")
    if "\r\n" in text:
        assert "\n" not in new.replace("\r\n", "")


def test_a_real_file_of_zed_gets_two_lines_where_a_person_would_write_them() -> None:
    text = (
        "// Zed settings\n{\n"
        '  "ui_font_size": 16, // bigger\n'
        '  "language_models": {\n'
        '    "ollama": {\n'
        '      "api_url": "http://localhost:11434", // the usual one\n'
        '      "available_models": []\n    },\n  },\n}\n'
    )
    assert set_in_json(text, PATH, ADDRESS) == text.replace("http://localhost:11434", ADDRESS)
    assert set_in_json('{\n  "vim_mode": true\n}\n', ["a", "b"], "c") == (
        '{\n  "vim_mode": true,\n  "a": {\n    "b": "c"\n  }\n}\n'
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Line 1"),
        ('{"a": 1', "Line 1"),
        ('{"a" 1}', "Line 1"),
        ('{"a": 1}\n{"b": 2}', "Line 2"),
        ('{"a": "no end}', "Line 1"),
        ('{"a": 1, "a": 2}', "twice"),
        ('["a"]', "something else"),
        ('"text"', "something else"),
        ('{"language_models": null}', "something else"),
        ('{"language_models": "none"}', "something else"),
        ("[" * 200_000, "levels deep"),
        ('{"a":' * 200_000, "levels deep"),
        ("/* no end", "Line 1"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text: str, why: str) -> None:
    with pytest.raises(ClientFileError, match=why) as refused:
        set_in_json(text, PATH, ADDRESS)
    assert "\n" not in str(refused.value)


@given(st.text("{}[]\",:/*'\\ \nab1", max_size=40))
def test_any_text_is_either_edited_soundly_or_refused(text: str) -> None:
    try:
        new = set_in_json(text, ["a"], "b")
    except ClientFileError:
        return
    root = read_json(new)
    assert root is not None and root.plain() | {"a": "b"} == root.plain()  # type: ignore[operator]
    assert set_in_json(new, ["a"], "b") == new
