"""Tests of pointing a client's file at Lull and of putting it back, on a real disk."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.backends.clients.yaml_tree import read_yaml
from lull.core.clients.client import UserMachine, client_named
from lull.core.clients.connection import ConnectionState
from lull.core.clients.target import ConnectTarget
from lull.core.errors import ClientFileError, Conflict, NotFound, UsageError
from lull.loops.clients.connect import ClientConnecting
from lull.store.clients import client_files, connections
from lull.store.clients.connections import Connections
from tests.core.clients.test_json_edit import ODD

AT = "2026-11-23T03:00:00+01:00"
TO = ConnectTarget(address="http://127.0.0.1:11435", model="qwen3")
ZED = ".config/zed/settings.json"
SETTINGS = '{\n  // mine\n  "vim_mode": true\n}\n'


class Person:
    """A user with a home folder and clients in it."""

    def __init__(self, folder: Path, environ: Mapping[str, str] | None = None) -> None:
        self.home = folder / "me"
        self.home.mkdir()
        self.user = UserMachine(home=self.home, platform="linux", environ=environ or {})
        self.connections = Connections(folder / "lull" / "clients")
        self.walk = ClientConnecting(self.connections, self.user, read_yaml)

    def has(self, name: str, text: str | bytes) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def connect(self, name: str, to: ConnectTarget = TO) -> None:
        plan = self.walk.plan(client_named(name, self.user), to)
        self.walk.write(plan, at=AT)

    def undo(self, name: str) -> None:
        for plan in self.walk.undo_plans(client_named(name, self.user)):
            self.walk.undo(plan)

    def standing(self, name: str, to: ConnectTarget = TO) -> ConnectionState:
        return self.walk.connection_state(client_named(name, self.user), to)


@pytest.fixture
def me(tmp_path: Path) -> Person:
    return Person(tmp_path)


def everything_in(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else b"",
            path.lstat().st_mode,
        )
        for path in sorted(folder.rglob("*"))
    }


WRITTEN = ["aider", "continue", "claude-code", "codex", "zed", "environment", "openclaw"]


@pytest.mark.parametrize("name", WRITTEN)
def test_where_nothing_was_nothing_is_left(me: Person, name: str) -> None:
    assert me.standing(name) is ConnectionState.NOT_CONNECTED
    me.connect(name)
    assert me.standing(name) is ConnectionState.CONNECTED
    assert len(everything_in(me.home)) > 0
    me.undo(name)
    assert everything_in(me.home) == {} and me.connections.all() == []
    assert me.standing(name) is ConnectionState.NOT_CONNECTED


FILES = {
    "aider": (".aider.conf.yml", "# of mine\nmodel: x # here\nset-env: [A=b]\n"),
    "continue": (".continue/config.yaml", "name: x\nmodels:\n- {name: a, provider: ollama}"),
    "claude-code": (".claude/settings.json", '{"permissions":{"allow":["Bash(ls)"]}}'),
    "codex": (".codex/config.toml", "\ufeff# c\r\nmodel = 'x' # y\r\n[t]\r\na = 1\r\n"),
    "zed": (ZED, '// c\n{\n\t"a": 1, // b\n}\n\n\n'),
    "environment": (".profile", "export A=1 # no end"),
    "openclaw": (".openclaw/openclaw.json", "{a: 1, /* b */ }"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_undoing_brings_back_every_byte(me: Person, name: str) -> None:
    path = me.has(*FILES[name])
    path.chmod(0o640)
    before = everything_in(me.home)
    me.connect(name)
    assert path.read_bytes() != before[FILES[name][0]][0]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    me.undo(name)
    assert everything_in(me.home) == before


@pytest.mark.slow
@given(st.sampled_from(ODD), st.lists(st.integers(1025, 65535), max_size=3))
def test_however_often_the_address_changes_undoing_leads_back(text: str, ports: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        me = Person(Path(folder))
        path = me.has(ZED, text)
        for port in (11435, *ports):
            me.connect("zed", ConnectTarget(address=f"http://127.0.0.1:{port}"))
            assert f":{port}" in path.read_text("utf-8")
        me.undo("zed")
        assert path.read_bytes() == text.encode()


def test_a_later_change_of_the_users_does_not_make_an_old_address_theirs(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    me.connect("zed")
    path.write_text("// later\n" + path.read_text())
    me.connect("zed", ConnectTarget(address="http://127.0.0.1:5"))
    assert "11435" not in path.read_text()
    me.undo("zed")
    assert path.read_text() == "// later\n" + SETTINGS


def test_a_file_that_points_elsewhere_now_has_drifted(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    me.connect("zed")
    path.write_text(path.read_text() + "// a comment of mine\n")
    assert me.standing("zed") is ConnectionState.CONNECTED
    assert (
        me.standing("zed", ConnectTarget(address="http://127.0.0.1:5")) is ConnectionState.DRIFTED
    )
    path.write_text(SETTINGS)
    assert me.standing("zed") is ConnectionState.DRIFTED
    path.write_text("{")
    assert me.standing("zed") is ConnectionState.UNREADABLE
    path.unlink()
    assert me.standing("zed") is ConnectionState.DRIFTED


def test_another_model_chosen_in_the_client_is_no_drift(me: Person) -> None:
    me.connect("codex")
    path = me.home / ".codex" / "config.toml"
    path.write_text(path.read_text().replace('"qwen3"', '"gemma4"'))
    assert me.standing("codex") is ConnectionState.CONNECTED


def test_what_was_changed_since_is_kept_when_lulls_lines_are_taken_out(me: Person) -> None:
    path = me.has(".aider.conf.yml", "model: x\ndark-mode: true\nread: [a]\n")
    me.connect("aider")
    path.write_text("# later\n" + path.read_text())
    (plan,) = me.walk.undo_plans(client_named("aider", me.user))
    assert "+# later" in plan.diff and not plan.clash
    me.walk.undo(plan)
    assert path.read_text() == "# later\nmodel: x\ndark-mode: true\nread: [a]\n"


def test_changes_in_lulls_own_lines_are_left_to_the_user_with_the_backup_named(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    me.connect("zed")
    path.write_text(path.read_text().replace("11435", "9999"))
    changed = path.read_bytes()
    (plan,) = me.walk.undo_plans(client_named("zed", me.user))
    with pytest.raises(ClientFileError, match="lull/clients/zed-") as refused:
        me.walk.undo(plan)
    assert path.read_bytes() == changed
    backup = Path(refused.value.hint.rsplit(" ", 1)[1].rstrip("."))
    assert backup.read_text() == SETTINGS
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    path.write_text(SETTINGS)  # changed back by hand, as the error says
    me.undo("zed")
    assert me.connections.all() == []


def test_connecting_again_keeps_the_first_backup_where_lulls_lines_were_changed(
    me: Person,
) -> None:
    path = me.has(ZED, SETTINGS)
    me.connect("zed")
    path.write_text(path.read_text().replace("11435", "9999"))
    changed = path.read_bytes()
    with pytest.raises(ClientFileError, match="lines that Lull wrote in"):
        me.connect("zed", ConnectTarget(address="http://127.0.0.1:5"))
    (known,) = me.connections.all()
    assert path.read_bytes() == changed and me.connections.before(known) == SETTINGS.encode()
    path.write_text(SETTINGS)  # put back by hand, as the error says
    me.connect("zed")
    me.undo("zed")
    assert path.read_text() == SETTINGS


def test_a_deleted_file_comes_back_when_it_was_there_before(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    me.connect("zed")
    path.unlink()
    me.undo("zed")
    assert path.read_text() == SETTINGS


def test_nothing_written_nothing_to_undo(me: Person) -> None:
    with pytest.raises(NotFound):
        me.undo("zed")
    with pytest.raises(UsageError, match="Cline"):
        me.connect("cline")
    with pytest.raises(UsageError, match="which of your models"):
        me.connect("codex", ConnectTarget(address=TO.address))


def test_a_symlink_stays_one(me: Person) -> None:
    real = me.has("dotfiles/zed.json", SETTINGS)
    link = me.home / ZED
    link.parent.mkdir(parents=True)
    link.symlink_to("../../dotfiles/zed.json")
    before = everything_in(me.home)
    me.connect("zed")
    assert link.is_symlink() and TO.address in real.read_text()
    me.undo("zed")
    assert everything_in(me.home) == before


HOSTILE = [
    (b"\x00\x01\x02", "not a text"),
    (b'{"a": "\xff"}', "not UTF-8"),
    ("{}".encode("utf-16"), "not a text|not UTF-8"),
    (b"{" + b" " * (client_files.SIZE_LIMIT + 1) + b"}", "bytes"),
    (b"{", "Line 1"),
    (b"<settings/>", "Line 1"),
]


@pytest.mark.parametrize(("data", "why"), HOSTILE)
def test_what_is_no_configuration_is_refused_and_left(me: Person, data: bytes, why: str) -> None:
    path = me.has(ZED, data)
    with pytest.raises(ClientFileError, match=why) as refused:
        me.connect("zed")
    assert "\n" not in str(refused.value) and str(path) in str(refused.value)
    assert path.read_bytes() == data and me.connections.all() == []
    assert me.standing("zed") is ConnectionState.UNREADABLE


def test_folders_pipes_and_links_to_nowhere_are_refused(me: Person) -> None:
    path = me.home / ZED
    path.mkdir(parents=True)
    with pytest.raises(ClientFileError, match="not a plain file"):
        me.connect("zed")
    path.rmdir()
    path.symlink_to("nowhere")
    with pytest.raises(ClientFileError, match="which does not exist"):
        me.connect("zed")
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ClientFileError, match="not a plain file"):
        me.connect("zed")


def test_a_read_only_file_and_one_with_two_names_are_refused(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    path.chmod(0o444)
    with pytest.raises(ClientFileError, match="read-only"):
        me.connect("zed")
    path.chmod(0o644)
    os.link(path, me.home / "second")
    with pytest.raises(ClientFileError, match="second name"):
        me.connect("zed")
    assert path.read_text() == SETTINGS and me.connections.all() == []


@pytest.fixture
def no_root() -> Iterator[Path]:
    """A folder of an ordinary user, as whom this process runs, because root may do anything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(0)


def test_a_folder_without_permission_is_refused(no_root: Path) -> None:
    me = Person(no_root)
    path = me.has(ZED, SETTINGS)
    path.parent.chmod(0o500)
    try:
        with pytest.raises(ClientFileError, match="cannot be written: Permission denied"):
            me.connect("zed")
    finally:
        path.parent.chmod(0o700)
    assert path.read_text() == SETTINGS and me.connections.all() == []
    path.chmod(0o000)
    with pytest.raises(ClientFileError, match="cannot be read: Permission denied"):
        me.connect("zed")
    assert me.standing("zed") is ConnectionState.UNREADABLE


def test_a_file_in_the_way_of_a_folder_is_refused(me: Person) -> None:
    me.has(".config", "no folder")
    with pytest.raises(ClientFileError, match="cannot be"):
        me.connect("zed")
    assert me.connections.all() == []


def test_a_change_between_looking_and_writing_is_not_overwritten(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    plan = me.walk.plan(client_named("zed", me.user), TO)
    path.write_text('{"mine": 2}')
    with pytest.raises(Conflict, match="changed just now"):
        me.walk.write(plan, at=AT)
    assert path.read_text() == '{"mine": 2}' and me.connections.all() == []
    assert [one.name for one in path.parent.iterdir()] == ["settings.json"]
    me.connect("zed")
    (undo,) = me.walk.undo_plans(client_named("zed", me.user))
    path.write_text('{"mine": 3}')
    with pytest.raises(Conflict):
        me.walk.undo(undo)
    assert path.read_text() == '{"mine": 3}' and len(me.connections.all()) == 1


def test_a_record_that_another_process_made_meanwhile_is_left(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    plan = me.walk.plan(client_named("zed", me.user), TO)
    me.connect("zed")
    with pytest.raises(Conflict):
        me.walk.write(plan, at=AT)
    path.write_text(SETTINGS)  # even where the file is as it was
    with pytest.raises(Conflict, match="another `lull connect`"):
        me.walk.write(plan, at=AT)
    (known,) = me.connections.all()
    assert me.connections.before(known) == SETTINGS.encode()


@pytest.mark.parametrize("fails", ["record", "second", "file"])
def test_a_failed_write_leaves_the_earlier_record(
    me: Person, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    path = me.has(ZED, SETTINGS)
    me.connect("zed")
    (known,) = me.connections.all()
    held = everything_in(me.connections.folder_of(known))
    plan = me.walk.plan(client_named("zed", me.user), ConnectTarget(address="http://127.0.0.1:5"))
    whole = connections.write_private

    def full(place: Path, data: bytes) -> None:
        if place.name == "connection.json" if fails == "record" else data == plan.text.encode():
            raise OSError(28, "No space left on device")
        whole(place, data)

    if fails == "file":
        path.chmod(0o444)
    else:
        monkeypatch.setattr(connections, "write_private", full)
    with pytest.raises(ClientFileError, match=r"cannot be written|read-only"):
        me.walk.write(plan, at=AT)
    assert everything_in(me.connections.folder_of(known)) == held
    path.chmod(0o644)
    me.undo("zed")
    assert path.read_text() == SETTINGS


def test_bytes_that_are_needed_no_more_go(me: Person) -> None:
    me.has(ZED, SETTINGS)
    for port in (1, 2, 3):
        me.connect("zed", ConnectTarget(address=f"http://127.0.0.1:{port}"))
    (known,) = me.connections.all()
    folder = me.connections.folder_of(known)
    assert {one.name for one in folder.iterdir()} == {
        "connection.json",
        known.before_sha256,
        known.after_sha256,
    }
    for name in ("before", "after"):  # as an earlier version of Lull named them
        (folder / getattr(known, f"{name}_sha256")).rename(folder / name)
    me.connect("zed", ConnectTarget(address="http://127.0.0.1:4"))
    assert not (folder / "before").exists()
    me.undo("zed")
    assert (me.home / ZED).read_text() == SETTINGS


def test_a_kill_between_backup_and_writing_leaves_something_that_can_be_undone(
    me: Person,
) -> None:
    path = me.has(ZED, SETTINGS)
    plan = me.walk.plan(client_named("zed", me.user), TO)
    connection = me.walk.write(plan, at=AT)
    path.write_text(SETTINGS)  # as if the last step had not come
    assert me.standing("zed") is ConnectionState.DRIFTED
    me.undo("zed")
    assert path.read_text() == SETTINGS and me.connections.all() == []
    assert not me.connections.folder_of(connection).exists()


def test_a_damaged_backup_is_told_and_not_written(me: Person) -> None:
    path = me.has(ZED, SETTINGS)
    me.connect("zed")
    (connection,) = me.connections.all()
    me.connections.backup_path(connection).write_bytes(b"something else")
    after = path.read_bytes()
    with pytest.raises(ClientFileError, match="not what Lull wrote"):
        me.undo("zed")
    assert path.read_bytes() == after
    (me.connections.folder_of(connection) / "connection.json").write_text("[]")
    assert me.connections.all() == []
