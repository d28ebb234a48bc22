"""Tests of setting environment variables in a shell's startup file or a .env file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lull.core.clients.edits import edit_fish, edit_shell
from lull.core.clients.environment_edit import BEGIN, END, with_block, with_variable
from lull.core.clients.target import ConnectTarget
from lull.core.errors import ClientFileError

TO = ConnectTarget(address="http://127.0.0.1:11435")
LINES = st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=12), max_size=5)


@given(LINES.map("\n".join))
@example("\r")
def test_a_block_is_added_at_the_end_and_replaced_in_its_place(text: str) -> None:
    new = with_block(text, ["a"])
    assert new.startswith(text) and new.count(BEGIN) == new.count(END) == 1
    assert with_block(new, ["a"]) == new
    assert with_block(new + "export LATER=1\n", ["b"]).endswith("export LATER=1\n")


@pytest.mark.parametrize("text", [BEGIN, END, f"{END}\n{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n{END}\n"])
def test_half_a_block_is_refused(text: str) -> None:
    with pytest.raises(ClientFileError):
        with_block(text, ["a"])


@pytest.mark.parametrize("before", ["", "export A=1", "alias x='y'\n", "# end \\"])
def test_a_real_shell_reads_the_lines(tmp_path: Path, before: str) -> None:
    file = tmp_path / "profile"
    file.write_text(edit_shell(before, TO, lambda _: None))
    said = subprocess.run(
        ["/bin/sh", "-c", f". {file}; echo $OLLAMA_HOST $OPENAI_BASE_URL $OPENAI_API_KEY"],
        capture_output=True,
        text=True,
        check=True,
        env={"OPENAI_API_KEY": "mine"},
    )
    assert said.stdout == f"{TO.address} {TO.address}/v1 mine\n"


def test_fish_gets_its_own_words() -> None:
    assert f'set -gx OLLAMA_HOST "{TO.address}"\n' in edit_fish("", TO, lambda _: None)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("", "U=v\n"),
        ("A=1", "A=1\nU=v\n"),
        ("U=old\nB=2\n", "U=v\nB=2\n"),
        ("U='old' # mine\n", "U=v # mine\n"),
        ('export U = "old"\r\n', "export U = v\r\n"),
        ("U=1\nU=2\n", "U=1\nU=v\n"),
        ("#U=old\nUX=1\n", "#U=old\nUX=1\nU=v\n"),
        ('K="one\nU=no\n"\n', 'K="one\nU=no\n"\nU=v\n'),
        ("U=\n", "U=v\n"),
        ("U='v'\n", "U='v'\n"),
    ],
)
def test_a_variable_of_an_env_file_is_set_where_it_counts(text: str, new: str) -> None:
    assert with_variable(text, "U", "v") == new
    assert with_variable(new, "U", "v") == new
