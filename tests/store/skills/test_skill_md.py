"""Tests of SKILL.md files: what is written is read back the same, and errors name the line."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lull.core.errors import SkillError
from lull.core.skills.skill import BODY_LIMIT, DESCRIPTION_LIMIT, SkillText, check_name, check_text
from lull.store.skills.skill_md import FILE_LIMIT, parse, render

plain = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t\r-:#'\"{}[]&*!|>%@`"),
    min_size=1,
    max_size=120,
).filter(lambda text: text.strip())
names = st.from_regex(r"[a-z0-9]{1,12}(-[a-z0-9]{1,9}){0,3}", fullmatch=True)


@pytest.mark.slow
@given(names, plain, plain, st.dictionaries(names, st.text(max_size=20), max_size=3))
@example("menu", "When: a 'menu' # is\nasked --- \n---\nfor", "---\nname: x\n---\n", {})
@example("menu", "a\u2028b\ufeffc", "d\u2028e", {"0": "\x85", "1": "\u2029\x07"})
@example("menu", "yes", "\r\nlines\rof all\nkinds\r\n", {})
@example("menu", "x" * DESCRIPTION_LIMIT, "y" * BODY_LIMIT, {"version": "1.0"})
def test_a_skill_is_read_back_as_it_was_written(
    name: str, description: str, body: str, metadata: dict[str, str]
) -> None:
    try:
        text = check_text(
            SkillText(name=name, description=description, body=body, metadata=metadata)
        )
    except SkillError:
        return
    data = render(text)
    assert parse(data, where="here") == text
    assert render(parse(data, where="here")) == data


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: f"---\n{t}\n---\nx".encode()))
def test_no_file_fails_with_anything_but_a_sentence(data: bytes) -> None:
    try:
        parse(data, where="here")
    except SkillError as error:
        assert "here" in error.detail
        assert error.hint


def skill(head: str, body: str = "Do so.") -> bytes:
    return f"---\n{head}\n---\n\n{body}\n".encode()


GOOD = "name: menu-style\ndescription: When a menu is asked for."


BROKEN: list[tuple[bytes, int, str]] = [
    (b"", 1, "begin with '---'"),
    (b"# Menu\n", 1, "begin with '---'"),
    (b"---\nname: a\n", 3, "closing"),
    (skill("name: a"), 2, "description is missing"),
    (skill("description: When."), 2, "name is missing"),
    (skill("name: a\ndescription: 5"), 3, "description is not a text"),
    (skill("name: a\ndescription: When: now."), 3, "mapping values"),
    (skill("name: a\n\tdescription: b"), 3, ""),
    (skill(f"{GOOD}\ncolour: red"), 4, "Unknown key 'colour'"),
    (skill(f"{GOOD}\nname: other"), 4, "name appears twice"),
    (skill(f"{GOOD}\nmetadata: red"), 4, "metadata is not"),
    (skill("name: Menu Style\ndescription: When."), 2, "not allowed"),
    (skill("name: ../menu\ndescription: When."), 2, "not allowed"),
    (skill("name: a\ndescription: ''"), 3, "no description"),
    (skill(f"name: a\ndescription: {'x' * 1025}"), 3, "1025 characters"),
    (skill(GOOD, ""), 4, "no body"),
    (skill(GOOD, "x" * (BODY_LIMIT + 1)), 6, "characters"),
    (skill("name: body\ndescription: ''"), 3, "no description"),
    (skill("name: a\ndescription: [When"), 3, "did not find"),
    (skill("name: a\ndescription: 'When\nlicense: MIT"), 3, "end of stream"),
    (skill('name: "a\ndescription: When.'), 2, ""),
    (skill(f"{GOOD}\nmetadata: {{a: [b}}\nlicense: MIT"), 4, ""),
    (skill(f"{GOOD}\nmetadata:\n  a: {{"), 5, "node content"),
    (skill(f"{GOOD}\nmetadata:\n  a: b\n  day: 2026-13-45"), 6, "'2026-13-45' cannot be read"),
    (skill(f"{GOOD}\nmetadata:\n  a: {'9' * 5000}"), 5, "cannot be read"),
    (skill(GOOD, "a\x07b"), 6, "U+0007"),
    (skill("- a\n- b"), 2, "not a list of"),
    (skill(GOOD) + b"\xff", 7, "not UTF-8"),
    (skill(f"{GOOD}\nmetadata: {{a: &a [x], b: *a}}"), 4, "aliases"),
    (skill("name: a\ndescription: b\x00"), 3, "does not allow"),
]


def test_a_broken_file_is_told_with_its_line(subtests: pytest.Subtests) -> None:
    for data, line, words in BROKEN:
        with subtests.test(data=data, line=line, words=words):
            with pytest.raises(SkillError) as caught:
                parse(data, where="menu/SKILL.md")
            assert f"menu/SKILL.md, line {line}:" in caught.value.detail
            assert words in caught.value.detail


def test_aliases_are_refused_before_they_grow() -> None:
    levels = "\n".join(f"  l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 12))
    with pytest.raises(SkillError, match="aliases"):
        parse(skill(f"{GOOD}\nmetadata:\n  l0: &l0 [x]\n{levels}"), where="here")


@pytest.mark.slow
@pytest.mark.parametrize("head", ["metadata: {d: 2026-13-45}", "metadata: " + "[" * 20_000])
def test_values_that_the_yaml_reader_chokes_on_are_told(head: str) -> None:
    with pytest.raises(SkillError, match="here"):
        parse(skill(f"{GOOD}\n{head}"), where="here")


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    data = b"\xef\xbb\xbf" + skill(GOOD, "One.\nTwo.").replace(b"\n", b"\r\n")
    assert parse(data, where="here").body == "One.\nTwo."


def test_a_line_of_hyphens_in_the_body_stays_there() -> None:
    assert parse(skill(GOOD, "a\n---\nb"), where="here").body == "a\n---\nb"


def test_what_the_format_allows_and_lull_does_not_use_is_kept() -> None:
    head = f"{GOOD}\nlicense: MIT\nallowed-tools: Read Grep\nmetadata:\n  author: Anna\n  v: 1.0"
    text = parse(skill(head), where="here")
    again = parse(render(text), where="here")
    assert again == text
    assert b"license: MIT" in render(text)
    assert dict(text.metadata) == {"author": "Anna", "v": "1.0"}


def test_a_huge_file_is_refused_unread() -> None:
    with pytest.raises(SkillError, match="bytes"):
        parse(b"x" * (FILE_LIMIT + 1), where="here")


@pytest.mark.parametrize("name", ["a", "0", "a-b", "a" * 64, "1-2-3"])
def test_names_that_the_format_allows(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "-a", "a-", "a--b", "A", "ä", "a b", "a_b", "a.b", "a/b", "..", "a" * 65, "a\n", "ａ"],
)
def test_names_that_it_does_not(name: str) -> None:
    with pytest.raises(SkillError, match="not allowed"):
        check_name(name)
