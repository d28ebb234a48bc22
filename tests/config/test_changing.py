"""Tests of the settings file that Lull writes, and of changing one key in a person's file."""

from __future__ import annotations

import errno
import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from lull.config.files import describe_settings, read, set_value, write_default
from lull.config.reading import rules
from lull.config.settings import Settings
from lull.core.errors import SettingsError

OWN = """\
# mine
[skills]   # which
at_most = 2       # two are plenty
# the end of skills

[log]
level = "debug"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


# The first file


def test_the_first_file_reads_as_the_defaults(file: Path) -> None:
    assert write_default(file)
    assert read(file) == Settings()


def test_the_first_file_tells_every_key_and_its_reason(file: Path) -> None:
    write_default(file)
    text = file.read_text()
    prose = " ".join(line.removeprefix("# ") for line in text.splitlines())
    for (_, name), rule in rules().items():
        assert f"\n#{name} = " in text
        assert rule.why in prose


def test_every_default_stands_in_the_file_as_it_would_be_written(file: Path) -> None:
    write_default(file)
    lines = file.read_text().splitlines()
    file.write_text(
        "\n".join(line[1:] if line[:1] == "#" and line[1:2].islower() else line for line in lines)
    )
    assert read(file) == Settings()


def test_a_file_that_is_there_is_not_written_over(file: Path) -> None:
    file.write_text(OWN)
    assert not write_default(file)
    assert file.read_text() == OWN


def test_every_default_is_allowed_and_has_a_reason() -> None:
    for rule in rules().values():
        plain = list(rule.default) if isinstance(rule.default, tuple) else rule.default
        assert rule.accept(plain) == rule.default
        assert rule.why.endswith(".")


# Changing a key


def test_a_list_is_set_as_one_says_it_and_as_it_is_shown() -> None:
    rule = next(rule for (_, name), rule in rules().items() if name == "sleep_hours")
    lines = ("sun-thu 23:00-07:00", "fri 22:00-06:00")
    assert rule.from_text(", ".join(lines)) == lines
    assert rule.from_text(json.dumps(lines)) == lines
    for text in ('["23:00-07:00"', "[23]", '{"a": 1}', "[" * 9999):
        with pytest.raises(SettingsError):
            rule.from_text(text)


def test_quotes_around_a_typed_name_are_no_part_of_it_and_a_semicolon_ends_a_name_too() -> None:
    known = {name: rule for (_, name), rule in rules().items()}
    apps = known["exclusive_apps"]
    for text in ("Steam, Blender", "Steam; Blender", '"Steam", "Blender"', "„Steam“, ‘Blender’;"):
        assert apps.from_text(text) == ("Steam", "Blender"), text
    assert apps.from_text('The "best" game') == ('The "best" game',)
    assert known["model"].from_text('"qwen3:8b"') == "qwen3:8b"
    assert known["folder"].from_text("'/media/disk'") == "/media/disk"


def test_a_changed_key_keeps_all_comments_and_every_other_line(file: Path) -> None:
    file.write_text(OWN)
    settings = set_value(file, "skills.at_most", "5")
    assert settings.skills.at_most == 5
    assert file.read_text() == OWN.replace("at_most = 2 ", "at_most = 5 ")
    assert read(file) == settings


def test_a_key_of_the_first_file_is_changed_where_its_comment_stands(file: Path) -> None:
    write_default(file)
    before = file.read_text()
    set_value(file, "skills.budget_tokens", "300")
    assert file.read_text() == before.replace("#budget_tokens = 400", "budget_tokens = 300")


def test_a_key_can_be_set_before_there_is_a_file(file: Path) -> None:
    assert set_value(file, "service.port", "0").service.port == 0
    assert "#bind = " in file.read_text()


def test_a_key_that_the_file_does_not_name_is_added_to_its_group(file: Path) -> None:
    file.write_text(OWN)
    settings = set_value(file, "skills.budget_tokens", "300")
    assert settings.skills.at_most == 2
    assert settings.skills.budget_tokens == 300
    assert all(line in file.read_text() for line in OWN.splitlines())


def test_a_group_that_the_file_does_not_name_is_added(file: Path) -> None:
    file.write_text(OWN)
    assert set_value(file, "idle.source", "file:/tmp/signals.json").idle.source
    assert file.read_text().startswith(OWN)


@pytest.mark.parametrize(
    "text",
    [
        "service.bind = '::1'\n",
        "service = { bind = '::1' }\n",
        "[service]\nbind = '::1'\n[log]\nlevel = 'info'\n",
        "[ service ]\r\nbind = '::1' # v6\r\n#port = 1\r\n",
        "['service']\nbind = '::1'\n#port = 1",
        "[service]\nbind = '::1'\n#port = not a value\n",
    ],
)
def test_a_key_can_be_set_however_the_file_is_written(text: str, file: Path) -> None:
    file.write_bytes(text.encode())
    settings = set_value(file, "service.port", "1234")
    assert (settings.service.port, settings.service.bind) == (1234, "::1")
    assert read(file) == settings
    assert set_value(file, "service.port", "4321") == replace(
        settings, service=replace(settings.service, port=4321)
    )


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("records.record", "false", False),
        ("records.record", "Yes", True),
        ("service.idle_timeout_s", "900", 900.0),
        ("skills.budget_share", " 0.1 ", 0.1),
        ("log.level", "warning", "warning"),
        ("service.allow_origins", "https://a.org, app://*", ("https://a.org", "app://*")),
        ("service.allow_origins", "", ()),
        ("upstream.address", "", ""),
        ("idle.source", 'file:/odd "name" \\ #1', 'file:/odd "name" \\ #1'),
    ],
)
def test_what_is_typed_is_read_by_the_keys_own_type(
    key: str, typed: str, value: object, file: Path
) -> None:
    group, name = key.split(".")
    assert getattr(getattr(set_value(file, key, typed), group), name) == value
    assert getattr(getattr(read(file), group), name) == value


@pytest.mark.parametrize(
    ("key", "typed", "says"),
    [
        ("skills.budget_tokens", "300x", 'skills.budget_tokens: "300x" is not allowed.'),
        ("skills.budget_tokens", "-1", "skills.budget_tokens: -1 is not allowed."),
        ("skills.budget_tokens", "1\nx = 2", "skills.budget_tokens: "),
        ("records.record", "maybe", 'records.record: "maybe" is not allowed.'),
        ("idle.source", "file:a\x1bb", "idle.source: "),
        ("idle.source", "file:\udcff", "idle.source: "),
        ("service.allow_origins", "null", 'service.allow_origins: ["null"] is not allowed.'),
        ("skills.budget", "1", "There is no setting 'skills.budget'."),
        ("skills", "1", "There is no setting 'skills'."),
        ("", "1", "There is no setting ''."),
        ("service.bind", "0.0.0.0", "service.bind was not changed: "),
    ],
)
def test_a_refused_change_leaves_the_file_as_it_was(
    key: str, typed: str, says: str, file: Path
) -> None:
    file.write_text(OWN)
    with pytest.raises(SettingsError) as caught:
        set_value(file, key, typed)
    assert caught.value.detail.startswith(says)
    assert file.read_text() == OWN


def test_an_unknown_key_is_refused_with_a_guess(file: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        set_value(file, "skills.buget_tokens", "1")
    assert caught.value.hint == "Did you mean 'skills.budget_tokens'?"


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("port", "Did you mean 'service.port'?"),
        ("service.prt", "Did you mean 'service.port'?"),
        ("servce.port", "Did you mean 'service.port'?"),
        (
            "model",
            "Did you mean 'reader.model', 'judge.model', 'writer.model', 'training.model'?",
        ),
        (
            "service.model",
            "Did you mean 'reader.model', 'judge.model', 'writer.model', 'training.model'?",
        ),
        ("log", "There are: log.level."),
        ("log.nope", "There are: log.level."),
    ],
)
def test_an_unknown_key_is_answered_with_the_names_near_it(key: str, hint: str, file: Path) -> None:
    with pytest.raises(SettingsError, match=f"no setting '{key}'") as caught:
        set_value(file, key, "1")
    assert caught.value.hint == hint


def test_a_key_like_no_other_is_answered_with_the_groups(file: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        set_value(file, "nope", "1")
    assert "of the groups service, upstream," in caught.value.hint
    assert "`lull settings show`" in caught.value.hint
    assert len(caught.value.hint) < 240


@pytest.mark.parametrize("text", ["[log\n", "[log]\nlevle = 'info'\n", "service = 3\n"])
def test_a_broken_file_is_told_and_left_alone(text: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"settings\.toml, line \d"):
        set_value(file, "service.port", "1")
    assert file.read_text() == text


def test_a_wrong_value_can_be_mended_by_setting_it(file: Path) -> None:
    file.write_text("[log]\nlevel = 'loud'\n")
    assert set_value(file, "log.level", "info").log.level == "info"


def test_a_changed_file_is_for_its_owner_alone_and_nothing_is_left_beside_it(file: Path) -> None:
    file.write_text(OWN)
    set_value(file, "log.level", "info")
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_a_link_to_the_file_stays_a_link(tmp_path: Path, file: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text(OWN)
    file.symlink_to(tmp_path / "dotfiles.toml")
    set_value(file, "log.level", "info")
    assert file.is_symlink()
    assert "info" in (tmp_path / "dotfiles.toml").read_text()


def test_a_place_that_cannot_be_written_is_told() -> None:
    with pytest.raises(SettingsError, match="cannot be written"):
        write_default(Path("/proc/lull/settings.toml"))


@pytest.mark.skipif(os.name != "posix", reason="Windows cannot sync a folder")
def test_a_change_that_the_disk_does_not_confirm_is_not_called_undone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def fsync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(SettingsError, match="was written") as told:
        set_value(file, "skills.at_most", "5")
    assert "not changed" not in f"{told.value} {told.value.hint}"
    assert read(file).skills.at_most == 5
    assert list(file.parent.iterdir()) == [file]


# Showing


def test_every_setting_is_shown_with_its_value_and_its_reason(file: Path) -> None:
    shown = {one.key: one for one in describe_settings(set_value(file, "skills.at_most", "5"))}
    assert len(shown) == len(rules())
    assert (shown["skills.at_most"].value, shown["skills.at_most"].default) == (5, 3)
    assert all(one.reason and one.allowed for one in shown.values())
    assert json.dumps([one.value for one in shown.values()])


def test_a_larger_share_than_allowed_is_not_taken_when_it_is_typed(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"0\.15 is not allowed"):
        set_value(file, "guard.leave_out_share", "0.15")
