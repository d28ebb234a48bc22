"""Tests of reading settings: valid ones become values, wrong ones one error that names the line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lull.config.files import FILE_LIMIT, read
from lull.config.reading import parse_settings
from lull.config.settings import Settings
from lull.core.errors import SettingsError
from lull.core.skills.skill_ranking import RetrievalRule


def problem_of(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        parse_settings(text, "settings.toml")
    return str(caught.value).removeprefix("The settings cannot be used: ")


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert read(tmp_path / "settings.toml") == Settings()


def test_an_empty_file_means_the_defaults() -> None:
    assert parse_settings("", "settings.toml") == Settings()


def test_the_skills_defaults_are_the_rules_own() -> None:
    assert Settings().skills.rule == RetrievalRule()


def test_values_of_every_type_are_read() -> None:
    settings = parse_settings(
        """
        [service]
        port = 0
        allow_origins = ["https://chat.example.org", "app://*"]
        idle_timeout_s = 900
        [records]
        record = false
        [log]
        level = "debug"
        """,
        "settings.toml",
    )
    assert settings.service.port == 0
    assert settings.service.allow_origins == ("https://chat.example.org", "app://*")
    assert settings.service.idle_timeout_s == 900.0
    assert isinstance(settings.service.idle_timeout_s, float)
    assert not settings.records.record
    assert settings.log.level == "debug"


@pytest.mark.parametrize(
    "text",
    [
        "service.port = 1234",
        "service = { port = 1234 }",
        "['service']\n\"p\\u006frt\" = 1234",
        "\ufeff[service]\r\nport = 1234\r\n",
    ],
)
def test_every_way_to_write_a_key_is_understood(text: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(text.encode())
    assert read(file).service.port == 1234


def test_an_unknown_key_is_refused_with_its_line_and_a_guess() -> None:
    text = "# a comment\n\n[skills]\nbudget_tokens = 300\nbuget_share = 0.1\n"
    assert problem_of(text) == (
        "settings.toml, line 5: Unknown key 'buget_share' in [skills]."
        " (Did you mean 'budget_share'?)"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[servise]\n", "line 1: Unknown group [servise]. (Did you mean 'service'?)"),
        ("[log]\n[zzz]", "line 2: Unknown group [zzz]. (There are: service, upstream, models,"),
        ("[log]\nport = 1", "line 2: Unknown key 'port' in [log]. (It belongs below [service].)"),
        (
            "port = 1",
            "line 1: Unknown key 'port' outside of any group. (It belongs below [service]",
        ),
        ("\nservice = 3", "line 2: [service] is a group."),
        ("[[service]]\nport = 1", "line 1: [service] is a group."),
        ("[service.port]\nx = 1", "line 1: port in [service]: A group is not allowed."),
        ("[service]\nx.y = 1", "line 2: Unknown key 'x' in [service]."),
        ("\nservice.prot = 1", "line 2: Unknown key 'prot' in [service]. (Did you mean 'port'?)"),
        ("service = { bind = '::1', prot = 1 }", "line 1: Unknown key 'prot' in [service]."),
        ('[service]\n"prot" = 1', "line 2: Unknown key 'prot' in [service]."),
        (
            '[service]\nallow_origins = [\n  "app://*", # port = 1\n]\nprot = 1',
            "line 5: Unknown key 'prot' in [service].",
        ),
        (
            '[idle]\nsource = """file:/\\\n  prot = 1"""\n[service]\nprot = 1',
            "line 5: Unknown key 'prot' in [service].",
        ),
        (
            "[service] # the listener\n\n  # more\n\n  port = 70000 # too many",
            "line 5: port in [service]: 70000 is not allowed. (It must be a whole number from 0 to"
            " 65535.)",
        ),
        (
            '[service]\nallow_origins = [\n  "https://x.org",\n  "null",\n]',
            "line 2: allow_origins in [service]:",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, says: str) -> None:
    assert problem_of(text).startswith(f"settings.toml, {says}")


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ('service.port = "11435"', "a whole number from 0 to 65535"),
        ("service.port = true", "a whole number from 0 to 65535"),
        ("service.port = 1.5", "a whole number from 0 to 65535"),
        ("service.port = -1", "a whole number from 0 to 65535"),
        ("service.port = 1979-05-27", "a whole number from 0 to 65535"),
        ("service.idle_timeout_s = nan", "a number from 300 to 86400"),
        ("service.idle_timeout_s = inf", "a number from 300 to 86400"),
        (f"service.idle_timeout_s = 1{'0' * 400}", "a number from 300 to 86400"),
        ("service.idle_timeout_s = true", "a number from 300 to 86400"),
        ("records.record = 1", "true or false"),
        ('log.level = "loud"', 'one of "debug", "info", "warning", "error"'),
        ("log.level = 3", 'one of "debug", "info", "warning", "error"'),
        ('service.bind = "example.org"', 'an IP address or "localhost"'),
        ('service.allow_origins = "https://x.org"', "a list in which each entry is an origin"),
        ('service.allow_origins = ["*"]', "a list in which each entry is an origin"),
        ("service.allow_origins = [1]", "a list in which each entry is an origin"),
        ('upstream.address = "127.0.0.1:11434"', "empty or an address"),
        ('upstream.address = "http://user:word@host"', "empty or an address"),
        ('upstream.address = "http://host:99999"', "empty or an address"),
        ('idle.source = "file:"', 'empty or "file:PATH"'),
    ],
)
def test_a_value_out_of_bounds_is_told_with_what_is_allowed(line: str, allowed: str) -> None:
    says = problem_of(f"# first\n{line}")
    assert says.startswith("settings.toml, line 2: ")
    assert f"It must be {allowed}" in says


def test_a_long_wrong_value_is_shown_in_short() -> None:
    assert len(problem_of(f"log.level = '{'x' * 5000}'")) < 250


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[service]\nport 11435", 2),
        ("[service]\nport =\n", 2),
        ('[log]\nlevel = "info', 2),
        ("[log]\nlevel = '''\ninfo", 3),
        ("[log]\n[log]", 2),
        ("[log]\nlevel = 'info'\nlevel = 'debug'", 3),
    ],
)
def test_what_is_not_toml_is_told_with_its_line(text: str, line: int) -> None:
    assert problem_of(text).startswith(f"settings.toml, line {line}: this is not TOML: ")


@pytest.mark.parametrize("text", ["x = " + "[" * 5000, "x = " + "9" * 5000])
def test_toml_beyond_all_bounds_is_one_error(text: str) -> None:
    assert problem_of(text).startswith("settings.toml")


def test_another_bind_needs_the_word_that_it_is_meant() -> None:
    says = problem_of('[service]\nport = 1\nbind = "0.0.0.0"')
    assert says.startswith('settings.toml, line 3: “service.bind” is "0.0.0.0"')
    assert "allow_network" in says
    meant = parse_settings('[service]\nbind = "0.0.0.0"\nallow_network = true', "settings.toml")
    assert meant.service.needs_token


@pytest.mark.parametrize("bind", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_needs_no_word_and_no_token(bind: str) -> None:
    assert not parse_settings(f"service.bind = '{bind}'", "settings.toml").service.needs_token


# Files that are none


def test_a_file_in_another_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(b"# one\n# gr\xfc\xdfe\n")
    with pytest.raises(SettingsError, match=r"settings\.toml, line 2: not UTF-8"):
        read(file)


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not a plain file"):
        read(tmp_path)


def test_a_pipe_in_its_place_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.toml")
    with pytest.raises(SettingsError, match="is not a plain file"):
        read(tmp_path / "settings.toml")


def test_a_link_to_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").symlink_to(tmp_path / "gone")
    with pytest.raises(SettingsError, match="which does not exist"):
        read(tmp_path / "settings.toml")


def test_a_file_below_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="cannot be read"):
        read(tmp_path / "file" / "settings.toml")


def test_a_file_far_too_long_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("#" * (FILE_LIMIT + 1))
    with pytest.raises(SettingsError, match="bytes"):
        read(tmp_path / "settings.toml")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("leave_out_share = 0.15", 0.02),
        ("leave_out_share = 0.02", 0.02),
        ("leave_out_share = 0", 0.0),
        ("settle_uses = 0", 10),
        ("settle_uses = 25", 25),
    ],
)
def test_a_guard_of_an_earlier_version_is_read_as_the_nearest_that_is_allowed(
    line: str, value: float, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING")
    guard = parse_settings(f"[guard]\n{line}\n", "settings.toml").guard
    name, _, written = line.partition(" = ")
    assert getattr(guard, name) == value
    said = [record.getMessage() for record in caplog.records]
    caplog.clear()
    if float(written) == value:
        assert said == []
    else:
        (one,) = said
        assert one.startswith(f"settings.toml, line 2: {name} in [guard] is {written}, and is read")


@pytest.mark.parametrize("line", ["leave_out_share = nan", 'leave_out_share = "much"'])
def test_a_guard_that_is_no_number_is_an_error(line: str) -> None:
    assert problem_of(f"[guard]\n{line}").startswith("settings.toml, line 2: leave_out_share")
