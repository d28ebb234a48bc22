"""Tests of Lull's home folder: how it is found, what is in it, and that others cannot enter."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from lull.config.paths import SOCKET_PATH_BYTES, Paths
from lull.core.errors import SettingsError

ANNA = {"HOME": "/home/anna"}


def home_of(environ: dict[str, str], platform: str = "linux", home: str | None = None) -> str:
    return Paths.from_environment(environ, platform, home=home).home.as_posix()


@pytest.mark.parametrize(
    ("platform", "environ", "home"),
    [
        ("darwin", ANNA, "/home/anna/Library/Application Support/Lull"),
        ("linux", ANNA, "/home/anna/.local/share/lull"),
        ("linux", {**ANNA, "XDG_DATA_HOME": "/data/anna"}, "/data/anna/lull"),
        ("linux", {**ANNA, "XDG_DATA_HOME": "relative"}, "/home/anna/.local/share/lull"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/Lull"),
        ("win32", {"USERPROFILE": "/anna"}, "/anna/AppData/Local/Lull"),
    ],
)
def test_each_platform_has_its_usual_home(
    platform: str, environ: dict[str, str], home: str
) -> None:
    assert home_of(environ, platform) == home


@pytest.mark.parametrize("platform", ["darwin", "linux", "win32"])
def test_lull_home_moves_it_on_every_platform(platform: str) -> None:
    assert home_of({**ANNA, "LULL_HOME": "/elsewhere"}, platform) == "/elsewhere"


def test_the_command_line_counts_more_than_the_environment() -> None:
    assert home_of({**ANNA, "LULL_HOME": "/elsewhere"}, home="/named") == "/named"


def test_an_empty_lull_home_is_none() -> None:
    assert home_of({**ANNA, "LULL_HOME": ""}) == "/home/anna/.local/share/lull"


def test_a_tilde_is_the_users_folder_and_a_relative_home_counts_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert home_of({**ANNA, "LULL_HOME": "~/lull"}) == "/home/anna/lull"
    assert home_of({**ANNA, "LULL_HOME": "lull"}) == str(tmp_path / "lull")


def test_two_spellings_of_one_folder_are_one_home(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert home_of({"LULL_HOME": str(tmp_path / "link")}) == str(tmp_path / "real")


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="not a folder"):
        home_of({"LULL_HOME": str(tmp_path / "file")})


def test_every_file_lies_below_the_home(tmp_path: Path) -> None:
    paths = Paths(home=tmp_path, temporary=Path("/unused"))
    files = [
        paths.settings,
        paths.database,
        paths.skills_root,
        paths.chroma,
        paths.models,
        paths.logs,
        paths.lock,
        paths.discovery,
        paths.secrets,
    ]
    assert all(file.is_relative_to(tmp_path) for file in files)
    assert len(set(files)) == len(files)


def test_two_homes_share_no_keychain_entry_and_no_socket() -> None:
    deep = "/" + "deep/" * 30
    one = Paths(home=Path(deep + "one"), temporary=Path("/tmp"))
    other = Paths(home=Path(deep + "other"), temporary=Path("/tmp"))
    assert one.keychain_service != other.keychain_service
    assert one.control_socket != other.control_socket


def test_the_socket_lies_in_the_home_where_it_fits() -> None:
    paths = Paths(home=Path("/home/anna/lull"), temporary=Path("/tmp"))
    assert paths.control_socket == Path("/home/anna/lull/run/control.sock")


@pytest.mark.parametrize("temporary", ["/tmp", "/var/folders/" + "deep/" * 30])
def test_a_long_home_gets_a_short_socket_that_can_be_bound(temporary: str, tmp_path: Path) -> None:
    home = tmp_path / ("ü" * 60)
    paths = Paths(home=home, temporary=Path(temporary))
    assert len(str(paths.control_socket).encode()) <= SOCKET_PATH_BYTES
    paths.prepare()
    assert paths.control_socket.parent.stat().st_mode & 0o777 == 0o700
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(paths.control_socket))
    paths.control_socket.unlink()
    paths.control_socket.parent.rmdir()


def test_a_new_home_is_for_its_owner_alone(tmp_path: Path) -> None:
    paths = Paths(home=tmp_path / "a" / "lull", temporary=Path("/tmp"))
    paths.prepare()
    assert paths.home.stat().st_mode & 0o777 == 0o700


def test_an_open_home_is_closed_to_others(tmp_path: Path) -> None:
    home = tmp_path / "lull"
    home.mkdir()
    home.chmod(0o755)
    Paths(home=home, temporary=Path("/tmp")).prepare()
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_live_in_is_refused_and_left_open(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(SettingsError, match="contains files that aren't Lull's"):
        Paths(home=shared, temporary=Path("/tmp")).prepare()
    assert shared.stat().st_mode & 0o7777 == 0o1777


def test_the_users_own_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SettingsError, match="a folder of its own"):
        Paths(home=tmp_path, temporary=Path("/tmp")).prepare()


def test_a_link_in_the_place_of_the_sockets_folder_is_refused(tmp_path: Path) -> None:
    """Tests a link that another user may have put there to receive what goes over the socket."""
    paths = Paths(home=tmp_path / ("x" * 100), temporary=tmp_path.parent)
    short = Paths(home=paths.home, temporary=Path("/tmp")).control_socket.parent
    short.symlink_to(tmp_path)
    try:
        with pytest.raises(SettingsError, match="belongs to somebody else or is a link"):
            Paths(home=paths.home, temporary=Path("/tmp")).prepare()
    finally:
        short.unlink()


def test_a_home_that_cannot_be_made_is_told() -> None:
    with pytest.raises(SettingsError, match="cannot be made"):
        Paths(home=Path("/proc/lull"), temporary=Path("/tmp")).prepare()
