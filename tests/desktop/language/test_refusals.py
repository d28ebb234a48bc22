"""Tests that errors which the service makes of pieces reach the window in German as a whole."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import fields, replace
from pathlib import Path
from typing import NoReturn

import pytest
from keyring.errors import InitError, KeyringError, KeyringLocked, NoKeyringError

from lull.backends.calendars.answer import certificate_error
from lull.backends.clients.yaml_tree import read_yaml
from lull.backends.system.secrets import KeychainSecrets
from lull.config.files import read, set_value
from lull.core.backups.backup import DATABASE, FORMAT, MANIFEST, BackupCounts
from lull.core.clients.json_edit import set_in_json
from lull.core.clients.toml_edit import set_in_toml
from lull.core.clients.tree import NodeKind
from lull.core.clients.yaml_edit import YamlText
from lull.core.errors import BackupError, ClientFileError, LullError, SecretsError, SettingsError
from lull.core.idle.signals import Unknown
from lull.core.proof.proposal import (
    ProposalStatus,
    changed_meanwhile,
    decided_already,
    not_decidable,
)
from lull.desktop.language.words import reword_for_window, skill_title
from lull.desktop.service.client import _for_window
from lull.service.process.supervisor import _in_words
from lull.store.backups.reading import manifest_of
from tests.core.proof.test_review_state import PROPOSAL
from tests.desktop.language.test_german_window import ENGLISH_WORDS

pytestmark = pytest.mark.usefixtures("german")
QUOTED = re.compile(r"„[^“]*“|'[^']*'|“[^”]*”")


def shown(error: LullError) -> str:
    """Return what the window shows of an error that came through the control API."""
    told = _for_window(json.loads(json.dumps(error.as_coded_dict())))
    return f"{told['detail']} {told['hint']}".strip()


def english_in(text: str) -> list[str]:
    """Return the English words in a text, apart from those in quotation marks."""
    assert text
    return ENGLISH_WORDS.findall(QUOTED.sub("…", text))


@pytest.mark.parametrize("status", ProposalStatus)
def test_a_refused_decision_says_the_status_in_german(status: ProposalStatus) -> None:
    one = replace(PROPOSAL, status=status)
    errors = (decided_already(one), changed_meanwhile(one), not_decidable(one, hint="Reject it."))
    for error in errors:
        text = shown(error)
        assert f"„{skill_title(one.key.name)}“" in text and one.id not in text
        assert english_in(text) == [], text
        assert f" {status} " not in f" {re.sub('[.:,]', ' ', text)} ", text


@pytest.mark.parametrize(
    ("text", "path"),
    [("[", "a"), ('{"a": 1, "a": 2}', "a"), ('{"a": [1]}', "a.b"), ("nonsense", "a")],
)
def test_why_a_json_file_of_a_chat_app_is_left_is_german(text: str, path: str) -> None:
    with pytest.raises(ClientFileError) as caught:
        set_in_json(text, path.split("."), "x")
    assert english_in(shown(caught.value)) == []


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2", "x = 1\nx.y = 2"])
def test_why_a_toml_file_of_a_chat_app_is_left_is_german(text: str) -> None:
    with pytest.raises(ClientFileError) as caught:
        set_in_toml(text, ["x", "y"], "z")
    assert english_in(shown(caught.value)) == []


@pytest.mark.parametrize(
    "text", ["a: [", "a: b: c", "a: 1\na: 2", "? [x]\n: y", "<<: {a: 1}", "- a", "set-env: {x: y}"]
)
def test_why_a_yaml_file_of_a_chat_app_is_left_is_german(text: str) -> None:
    with pytest.raises(ClientFileError) as caught:
        conf = YamlText(text, read_yaml)
        conf.append("set-env", "A=b")
        assert conf.root is not None and conf.root.kind is NodeKind.MAP
    assert english_in(shown(caught.value)) == []


@pytest.mark.parametrize(
    "text",
    [
        "[service]\nport 11435",
        "[service]\nport = true",
        "[service]\nprot = 1",
        "[service]\nport = 99999999",
        "[srvice]\nport = 1",
        "port = 1",
        "service = 3",
        '[log]\nlevel = "loud"',
        '[idle]\nsleep_hours = ["always"]',
        '[service]\nbind = "0.0.0.0"',
    ],
)
def test_what_is_wrong_with_the_settings_file_is_german(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(SettingsError) as caught:
        read(file)
    told = shown(caught.value).replace(str(file), "settings.toml")
    assert english_in(told) == [], told


@pytest.mark.parametrize(
    ("key", "value"),
    [("service.port", "x"), ("idle.battery_share", "7"), ("log.level", "loud"), ("a.b", "c")],
)
def test_a_refused_setting_is_german(tmp_path: Path, key: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        set_value(tmp_path / "settings.toml", key, value)
    told = shown(caught.value).replace(str(tmp_path), "")
    assert english_in(told) == [], told


@pytest.mark.parametrize(
    "error",
    [
        NoKeyringError("No recommended backend was available."),
        KeyringLocked("Failed to unlock the collection!"),
        InitError("Failed to open session"),
        RuntimeError("The Secret Service daemon is neither running nor activatable"),
        FileNotFoundError(2, "No such file or directory"),
        KeyringError("something of the library"),
    ],
)
def test_why_the_keychain_cannot_be_used_is_german(error: Exception) -> None:
    def none() -> NoReturn:
        raise error

    with pytest.raises(SecretsError) as caught:
        KeychainSecrets("Lull (test)", none).get("token")
    text = shown(caught.value)
    assert english_in(text) == [] and "library" not in text, text


@pytest.mark.parametrize("code", [1, 9, 10, 18, 19, 20, 21, 23, 62, 64])
def test_why_a_calendars_certificate_is_not_trusted_is_german(code: int) -> None:
    error = Exception("certificate verify failed: it has been and gone")
    error.verify_code, error.verify_message = code, "it is the library's"  # type: ignore[attr-defined]
    assert english_in(shown(certificate_error(error))) == []


@pytest.mark.parametrize("name", ["reading calendars", "making backups", "judging answers"])
@pytest.mark.parametrize("delay_s", [None, 2.0])
def test_a_background_task_that_failed_is_told_in_german(name: str, delay_s: float | None) -> None:
    told = shown(_in_words(name, KeyError("x"), delay_s))
    assert english_in(told) == [] and name not in told, told


@pytest.mark.parametrize(
    "why",
    [
        "the sound server does not answer",
        "the battery has not been asked yet",
        "the X11 display :0 has gone away",
        "there is no desktop session; logind is not running here",
        "Mutter does not answer; the desktop does not tell logind when it is idle",
        "asking the temperature sensor failed: OSError",
        "pactl is not installed here",
    ],
)
def test_why_a_condition_is_unknown_is_german(why: str) -> None:
    assert english_in(reword_for_window(Unknown(why).why)) == []


@pytest.mark.parametrize(
    "text",
    [
        "/home/me/settings.toml cannot be read: Permission denied.",
        "/media/disk/lull: No space left on device.",
    ],
)
def test_what_the_system_refused_is_german(text: str) -> None:
    assert english_in(reword_for_window(text)) == []
    assert "denied" not in reword_for_window(text) and "space" not in reword_for_window(text)


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (("one",), "unterscheiden sich: 'one'. Nimm"),
        (("one", "two", "three"), "unterscheiden sich: 'one' und 2 weitere. Nimm"),
    ],
)
def test_why_a_backup_with_files_of_others_is_refused_is_german(
    tmp_path: Path, odd: tuple[str, ...], told: str
) -> None:
    manifest = {
        "format": FORMAT,
        "at": "2026-11-22T10:00:00+00:00",
        "version": "1",
        "layout": 1,
        "counts": dict.fromkeys((one.name for one in fields(BackupCounts)), 0),
        "entries": {DATABASE: {"size": 1, "sha256": "0" * 64}},
    }
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as packed:
        packed.writestr(MANIFEST, json.dumps(manifest))
        packed.writestr(DATABASE, "x")
        for name in odd:
            packed.writestr(name, "x")
    with pytest.raises(BackupError) as caught:
        manifest_of(tmp_path / "b.zip")
    assert told in shown(caught.value)
