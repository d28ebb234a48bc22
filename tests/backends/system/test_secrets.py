"""Tests of stores for secrets: one contract for all, the real keychain, and what replaces it.

Where the machine has no keychain, the user is told what is used instead.
"""

from __future__ import annotations

import gc
import logging
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked, PasswordDeleteError

from lull.backends.system.secret_fallbacks import EnvironmentSecrets, FileSecrets, MemorySecrets
from lull.backends.system.secrets import KeychainSecrets, open_secret_store, system_keychain
from lull.core.errors import LullError, SecretsError, SecretsInFile
from lull.core.ports import SecretStore
from tests.eventually import PATIENCE_S, eventually

NEEDED = ("dbus-daemon", "gnome-keyring-daemon")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is Linux's")
Opener = Callable[..., tuple[SecretStore, LullError | None]]


class FakeKeychain:
    """A fake keychain; like the real ones it refuses to delete what is not there."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.entries:
            raise PasswordDeleteError("No such password!")
        del self.entries[service, username]


class LockedKeychain(FakeKeychain):
    """A keychain that blocks every read, as if it waited for a prompt that nobody sees."""

    def __init__(self) -> None:
        super().__init__()
        self.unlocked = threading.Event()
        self.asked = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        self.unlocked.wait()
        return super().get_password(service, username)


class RefusingKeychain(FakeKeychain):
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("Failed to unlock the collection!")


@pytest.fixture
def short_folder() -> Iterator[str]:
    """A folder for a socket, whose path may not be as long as `tmp_path`."""
    with tempfile.TemporaryDirectory(prefix="lull") as folder:
        yield folder


@pytest.fixture
def session_bus(
    tmp_path: Path, short_folder: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A private D-Bus of this test, with no service on it and none that it could start."""
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"no {' and no '.join(missing)} on this machine")
    for variable in ("HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
        folder = tmp_path / variable.lower()
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(variable, str(folder))
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    configuration = tmp_path / "bus.conf"
    configuration.write_text(
        f"<busconfig><type>session</type><listen>unix:dir={short_folder}</listen>"
        '<policy context="default"><allow send_destination="*" eavesdrop="true"/>'
        '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>'
    )
    command = ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--print-address"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as bus:
        assert bus.stdout is not None
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.stdout.readline().strip())
        yield
        bus.terminate()


@pytest.fixture
def gnome_keyring(session_bus: None) -> Iterator[Callable[..., None]]:
    """A function that starts gnome-keyring on the bus, unlocked or not, after ending the last."""
    running: list[subprocess.Popen[str]] = []

    def end() -> None:
        while running:
            daemon = running.pop()
            daemon.terminate()
            daemon.wait()

    def start(*, unlocked: bool) -> None:
        end()
        command = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        daemon = subprocess.Popen(
            command + ["--unlock"] * unlocked,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        running.append(daemon)
        assert daemon.stdin is not None
        with daemon.stdin:
            daemon.stdin.write("a password" * unlocked)
        eventually(_is_up)

    yield start
    end()


def _is_up() -> bool:
    try:
        system_keychain()
    except RuntimeError:
        return False
    return True


@pytest.fixture(params=["memory", "environment", "file", "keychain", "gnome-keyring"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> SecretStore:
    match request.param:
        case "memory":
            return MemorySecrets()
        case "environment":
            return EnvironmentSecrets({})
        case "file":
            return FileSecrets(tmp_path / "secrets.json")
        case "keychain":
            fake = FakeKeychain()
            return KeychainSecrets("Lull (test)", lambda: fake)
        case _:
            request.getfixturevalue("gnome_keyring")(unlocked=True)
            return KeychainSecrets("Lull (test)", within_s=PATIENCE_S)


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    """A function that calls `open_secret_store` with a home of the test's own."""

    def call(
        keychain: object,
        *,
        file_fallback: bool = False,
        environ: dict[str, str] | None = None,
    ) -> tuple[SecretStore, LullError | None]:
        return open_secret_store(
            service="Lull (test)",
            file=tmp_path / "secrets.json",
            file_fallback=file_fallback,
            environ=environ or {},
            keychain=lambda: keychain,  # type: ignore[arg-type, return-value]
            within_s=PATIENCE_S,  # none of these is locked
        )

    return call


# The contract of every store


def test_a_secret_comes_back_as_it_was_put_in(store: SecretStore) -> None:
    store.set("calendar.1", "https://example.org/ÄÖ?key=⟨…⟩")
    store.set("calendar.2", "another")
    assert store.get("calendar.1") == "https://example.org/ÄÖ?key=⟨…⟩"
    assert store.get("calendar.2") == "another"


def test_what_was_never_put_in_is_not_there(store: SecretStore) -> None:
    assert store.get("token") is None


def test_a_second_value_takes_the_place_of_the_first(store: SecretStore) -> None:
    store.set("token", "old")
    store.set("token", "new")
    assert store.get("token") == "new"


def test_a_deleted_secret_is_gone_and_may_be_deleted_again(store: SecretStore) -> None:
    store.set("token", "value")
    store.delete("token")
    store.delete("token")
    assert store.get("token") is None


# The real keychain


def test_an_unlocked_keychain_is_used_and_nothing_is_wrong(
    gnome_keyring: Callable[..., None], tmp_path: Path
) -> None:
    gnome_keyring(unlocked=True)
    store, problem = open_secret_store(
        service="Lull (test)",
        file=tmp_path / "secrets.json",
        file_fallback=True,
        environ={},
        within_s=PATIENCE_S,
    )
    assert (store.kind, problem) == ("keychain", None)
    store.set("token", "value")
    assert KeychainSecrets("Lull (test)").get("token") == "value"
    assert KeychainSecrets("Lull (another home)").get("token") is None


@pytest.mark.filterwarnings("ignore:unclosed.*bus:ResourceWarning")
def test_a_locked_keychain_is_told_within_its_time(
    gnome_keyring: Callable[..., None], tmp_path: Path
) -> None:
    gnome_keyring(unlocked=True)
    KeychainSecrets("Lull (test)").set("token", "value")
    gnome_keyring(unlocked=False)
    store, problem = open_secret_store(
        service="Lull (test)",
        file=tmp_path / "secrets.json",
        file_fallback=False,
        environ={},
        within_s=2.0,
    )
    assert store.kind == "memory"
    assert isinstance(problem, SecretsError)
    gc.collect()  # keyring leaves its connection open when a collection stays locked


def test_a_bus_without_a_keychain_is_no_keychain(session_bus: None) -> None:
    with pytest.raises(SecretsError, match="keychain to use here: none is running"):
        KeychainSecrets("Lull (test)").get("token")


@on_linux
def test_a_machine_without_a_bus_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/nothing")
    store, problem = open_secret_store(
        service="Lull (test)", file=tmp_path / "secrets.json", file_fallback=False, environ={}
    )
    assert store.kind == "memory"
    assert problem is not None
    assert "There is no keychain to use here" in problem.detail
    assert "forgotten when Lull stops" in problem.detail


@on_linux
def test_an_unset_bus_is_told_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(SecretsError, match="no keychain to use here"):
        KeychainSecrets("Lull (test)").get("token")


# A keychain that blocks


def test_a_blocked_keychain_costs_one_thread_however_often_it_is_asked() -> None:
    locked = LockedKeychain()
    store = KeychainSecrets("Lull (test)", lambda: locked, within_s=0.05)
    for _ in range(3):
        with pytest.raises(SecretsError, match=r"did not answer within 0\.05 s"):
            store.get("token")
    assert eventually(lambda: locked.asked, bool) == 1
    locked.unlocked.set()


def test_a_keychain_that_was_unlocked_meanwhile_answers_again() -> None:
    locked = LockedKeychain()
    store = KeychainSecrets("Lull (test)", lambda: locked, within_s=0.05)
    with pytest.raises(SecretsError):
        store.get("token")
    locked.unlocked.set()
    store = KeychainSecrets("Lull (test)", lambda: locked, within_s=PATIENCE_S)
    store.set("token", "value")
    assert store.get("token") == "value"


def test_what_goes_wrong_in_a_keychain_that_was_given_up_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Late(LockedKeychain):
        def get_password(self, service: str, username: str) -> str | None:
            self.unlocked.wait()
            raise ZeroDivisionError("a word that nobody is to read")

    caplog.set_level(logging.INFO)
    locked = Late()
    with pytest.raises(SecretsError, match="did not answer"):
        KeychainSecrets("Lull (test)", lambda: locked, within_s=0.05).get("token")
    locked.unlocked.set()
    eventually(lambda: caplog.text, lambda text: "ZeroDivisionError" in text)
    assert "nobody is to read" not in caplog.text


def test_a_refusal_is_told_in_our_words_and_logged_in_its_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = KeychainSecrets("Lull (test)", RefusingKeychain)
    with caplog.at_level("INFO"), pytest.raises(SecretsError, match="it is locked") as caught:
        store.get("token")
    assert caught.value.hint
    assert "Failed to unlock the collection!" in caplog.text


# What stands in for it, and that it is said


def test_without_a_keychain_secrets_last_for_the_session_and_that_is_said(opened: Opener) -> None:
    store, problem = opened(RefusingKeychain())
    assert store.kind == "memory"
    assert problem is not None
    assert "forgotten when Lull stops" in problem.detail


def test_a_file_is_never_used_unasked(opened: Opener, tmp_path: Path) -> None:
    store, _ = opened(RefusingKeychain())
    store.set("token", "value")
    assert not (tmp_path / "secrets.json").exists()


def test_a_file_that_was_asked_for_is_for_its_owner_alone_and_warned_of(
    opened: Opener, tmp_path: Path
) -> None:
    store, problem = opened(RefusingKeychain(), file_fallback=True)
    store.set("token", "value")
    assert store.kind == "file"
    assert isinstance(problem, SecretsInFile)
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600


def test_a_keychain_is_preferred_to_a_file_that_was_asked_for(opened: Opener) -> None:
    store, problem = opened(FakeKeychain(), file_fallback=True)
    assert (store.kind, problem) == ("keychain", None)


def test_secrets_left_in_a_file_are_not_forgotten_when_a_keychain_is_back(
    opened: Opener, tmp_path: Path
) -> None:
    FileSecrets(tmp_path / "secrets.json").set("token", "value")
    store, problem = opened(FakeKeychain(), file_fallback=True)
    assert store.kind == "keychain"
    assert isinstance(problem, SecretsInFile)
    assert "still holds secrets" in problem.detail


def test_the_environment_is_read_where_it_holds_secrets(opened: Opener) -> None:
    store, problem = opened(RefusingKeychain(), environ={"LULL_SECRET_CALENDAR_1": "a url"})
    assert store.kind == "environment"
    assert problem is not None
    assert "LULL_SECRET_" in problem.detail
    assert store.get("calendar.1") == "a url"


def test_what_is_set_in_the_session_counts_more_than_the_environment() -> None:
    store = EnvironmentSecrets({"LULL_SECRET_TOKEN": "old"})
    store.set("token", "new")
    assert store.get("token") == "new"


def test_a_secret_of_the_environment_cannot_be_deleted() -> None:
    store = EnvironmentSecrets({"LULL_SECRET_TOKEN": "value"})
    with pytest.raises(SecretsError, match="comes from the environment") as caught:
        store.delete("token")
    assert "LULL_SECRET_TOKEN" in caught.value.hint


# The file


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    file.write_text('{"token": "value"}')
    file.chmod(0o644)
    with pytest.raises(SecretsError, match="can be read by others") as caught:
        FileSecrets(file).get("token")
    assert "chmod 600" in caught.value.hint


@pytest.mark.parametrize("text", ['{"token": "hunter2"', "[]", '{"token": 1}', "\xff"])
def test_a_damaged_file_is_told_without_its_secrets(text: str, tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    file.write_bytes(text.encode("latin-1"))
    file.chmod(0o600)
    with pytest.raises(SecretsError, match="is damaged") as caught:
        FileSecrets(file).get("token")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_link_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("{}")
    (tmp_path / "secrets.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SecretsError, match="not a regular file"):
        FileSecrets(tmp_path / "secrets.json").set("token", "value")


def test_a_file_that_cannot_be_written_is_told() -> None:
    with pytest.raises(SecretsError, match="cannot be written"):
        FileSecrets(Path("/proc/nowhere/secrets.json")).set("token", "value")
