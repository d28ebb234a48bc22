"""Tests of in-place edits of a JSON request body: an edit changes no other byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.json_edit import BodyEdit, array_spans, object_spans, quoted

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=8,
)
SPACE = st.sampled_from(["", " ", "\n", "\t", "\r\n  "])


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a JSON body that holds a text under the key `grow`, in a drawn layout, and that text."""
    text = draw(TEXT)
    members = [(key, draw(JSON)) for key in draw(st.lists(TEXT.filter(lambda k: k != "grow")))]
    members.insert(draw(st.integers(0, len(members))), ("grow", text))
    ascii_only, space = draw(st.booleans()), draw(SPACE)
    shown = [
        f"{space}{quoted(key)}{space}:{space}"
        f"{json.dumps(value, ensure_ascii=ascii_only, indent=draw(st.none() | st.just(2)))}{space}"
        for key, value in members
    ]
    return f"{space}{{{','.join(shown)}}}{space}", text


@pytest.mark.full
@pytest.mark.slow
@given(bodies(), TEXT)
def test_growing_a_text_leaves_every_other_byte(body: tuple[str, str], addition: str) -> None:
    raw, text = body
    original = raw.encode()
    draft = BodyEdit(original)
    span = draft.members(draft.root)["grow"]
    draft.append(span, addition)
    edited = draft.edited_body()

    cut = len(draft.text[: span.end - 1].encode())
    grown = len(edited) - len(original)
    assert edited[:cut] == original[:cut]
    assert edited[cut + grown :] == original[cut:]
    assert json.loads(edited) == json.loads(original) | {"grow": text + addition}


@pytest.mark.slow
@given(bodies(), TEXT, JSON)
def test_a_new_key_and_a_text_grown_in_front(
    body: tuple[str, str], addition: str, value: object
) -> None:
    original = body[0].encode()
    draft = BodyEdit(original)
    draft.prepend(draft.members(draft.root)["grow"], addition)
    draft.add_member(draft.root, "quite new", json.dumps(value))
    expected = json.loads(original)
    new = expected.get("quite new", value)
    assert json.loads(draft.edited_body()) == expected | {
        "grow": addition + body[1],
        "quite new": new,
    }


@pytest.mark.full
@given(st.lists(JSON), JSON, st.booleans())
def test_a_new_element(array: list[object], value: object, first: bool) -> None:
    draft = BodyEdit(json.dumps(array).encode())
    (draft.add_first if first else draft.add_last)(draft.root, json.dumps(value))
    expected = [value, *array] if first else [*array, value]
    assert json.loads(draft.edited_body()) == expected


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:ntr1. \\u').map(str.encode))
def test_rubbish_is_a_value_error_and_never_a_crash(data: bytes) -> None:
    try:
        draft = BodyEdit(data)
        draft.members(draft.root)
    except ValueError:
        pass


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf{}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1,}',
        b'{"a" 1}',
        b'{"a": "un',
        b'{"a": "\n"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": "\\x"}',
    ],
)
def test_what_is_not_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        BodyEdit(data)


def test_the_last_of_two_equal_keys_counts() -> None:
    text = '{"a": 1, "a": 22}'
    span = object_spans(text)["a"]
    assert text[span.start : span.end] == "22"


def test_bytes_that_are_no_utf8_and_data_behind_the_value_stay() -> None:
    draft = BodyEdit(b'{"a": "\xff\xfe", "b": "x"} behind')
    draft.append(draft.members(draft.root)["b"], "é\ud83d")
    assert draft.edited_body() == b'{"a": "\xff\xfe", "b": "x\\u00e9\\ud83d"} behind'


def test_a_number_of_a_million_digits_is_passed_over() -> None:
    draft = BodyEdit(b'{"n": ' + b"1" * 1_000_000 + b', "a": ""}')
    draft.append(draft.members(draft.root)["a"], "x")
    assert draft.edited_body().endswith(b'"a": "x"}')


def test_elements_of_an_array() -> None:
    text = '[1, [2, 3], {"a": "]"}]'
    assert [text[a:b] for a, b in array_spans(text)] == ["1", "[2, 3]", '{"a": "]"}']
    assert array_spans("[ ]") == []


def test_an_edit_of_the_wrong_kind_is_refused() -> None:
    draft = BodyEdit(b'{"a": 1}')
    with pytest.raises(ValueError, match="no string"):
        draft.append(draft.members(draft.root)["a"], "x")
