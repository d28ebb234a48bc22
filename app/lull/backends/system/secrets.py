"""Stores secrets in the system's keychain, or in a fallback if there is none.

A keychain may be locked behind an unseen prompt, so each call has a timeout. `open_secret_store`
returns the store together with any problem, for the tray icon and `lull doctor` to show.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol, TypeVar

from lull.backends.system.secret_fallbacks import (
    ENVIRONMENT_PREFIX,
    EnvironmentSecrets,
    FileSecrets,
    MemorySecrets,
)
from lull.core.errors import LullError, SecretsError, SecretsInFile
from lull.core.ports import SecretStore

log = logging.getLogger(__name__)

ANSWER_WITHIN_S = 5.0
"""Keychain timeout in seconds: enough for an unlocked keychain, short enough not to delay the
start."""
PROMPT_WITHIN_S = 90.0
"""Keychain timeout in seconds while the user is there to answer its prompt; shorter than a
command's timeout.
"""

_KEYCHAINS = {
    "darwin": "keyring.backends.macOS.Keyring",
    "win32": "keyring.backends.Windows.WinVaultKeyring",
}
_ELSEWHERE = "keyring.backends.SecretService.Keyring"
_PROBE = "probe"
_R = TypeVar("_R")


class Keychain(Protocol):
    """Interface of a keyring backend, as far as Lull uses it."""

    def get_password(self, service: str, username: str) -> str | None:
        """Return a password; None if there is none."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Store a password, in place of an earlier one."""

    def delete_password(self, service: str, username: str) -> None:
        """Delete a password; raises the keyring's error if there is none."""


def open_secret_store(
    *,
    service: str,
    file: Path,
    file_fallback: bool,
    environ: Mapping[str, str],
    keychain: Callable[[], Keychain] | None = None,
    within_s: float = ANSWER_WITHIN_S,
) -> tuple[SecretStore, LullError | None]:
    """Open the best available secret store; return it and a problem to show, or None.

    Blocks up to `within_s`. Without a keychain, the store is a 0600 file if the settings allow
    that, else the environment if it holds secrets, else memory.
    """
    store = KeychainSecrets(service, keychain or system_keychain, within_s=within_s)
    try:
        store.get(_PROBE)
    except SecretsError as error:
        return _instead(error, file, environ, file_fallback=file_fallback)
    if file.exists():
        return store, SecretsInFile(
            f"The keychain is in use, and {file} still holds secrets from before.",
            hint="Enter them again, then delete that file.",
        )
    return store, None


def _instead(
    why: SecretsError, file: Path, environ: Mapping[str, str], *, file_fallback: bool
) -> tuple[SecretStore, LullError]:
    if file_fallback:
        return FileSecrets(file), SecretsInFile(
            f"{why.detail} They are stored unencrypted in {file}, as your settings allow.",
            hint="With a keychain, set secrets.file_fallback to false and enter them again.",
        )
    if any(name.startswith(ENVIRONMENT_PREFIX) for name in environ):
        return EnvironmentSecrets(environ), SecretsError(
            f"{why.detail} Secrets are read from {ENVIRONMENT_PREFIX}… in the environment; "
            "new ones are forgotten when Lull stops.",
            hint=why.hint,
        )
    return MemorySecrets(), SecretsError(
        f"{why.detail} Secrets are kept in memory and forgotten when Lull stops.", hint=why.hint
    )


def system_keychain() -> Keychain:
    """Load this platform's keychain. Blocking; raises RuntimeError if there is none.

    `keyring.get_keyring` is not used: it caches its first answer and may return a plugin that
    stores plain text or nothing.
    """
    from keyring.core import load_keyring

    return load_keyring(_KEYCHAINS.get(sys.platform, _ELSEWHERE))


class KeychainSecrets:
    """Stores secrets in the system's keychain; implements `SecretStore`."""

    kind = "keychain"

    def __init__(
        self,
        service: str,
        keychain: Callable[[], Keychain] = system_keychain,
        *,
        within_s: float = ANSWER_WITHIN_S,
    ) -> None:
        self._service = service
        self._keychain = keychain
        self._within_s = within_s
        self._busy = threading.Lock()
        """Held by the thread that waits for the keychain, so that blocked threads never pile up."""

    def get(self, name: str) -> str | None:
        return self._ask(lambda keychain: keychain.get_password(self._service, name))

    def set(self, name: str, value: str) -> None:
        self._ask(lambda keychain: keychain.set_password(self._service, name, value))

    def delete(self, name: str) -> None:
        """Delete a secret from the keychain; a missing one is ignored."""

        def delete(keychain: Keychain) -> None:
            if keychain.get_password(self._service, name) is not None:
                keychain.delete_password(self._service, name)

        self._ask(delete)

    def _ask(self, question: Callable[[Keychain], _R]) -> _R:
        """Call the keychain. Raises SecretsError if it fails or does not answer in time."""
        until_s = time.monotonic() + self._within_s
        if not self._busy.acquire(timeout=self._within_s):
            raise self._silent()
        answer: Future[_R] = Future()

        def work() -> None:
            try:
                answer.set_result(question(self._keychain()))
            except Exception as error:  # noqa: BLE001 - see below
                # Passed to the calling thread, which handles the known ones.
                answer.set_exception(error)
            finally:
                self._busy.release()

        # A daemon thread: an unanswered prompt must not delay the service's exit.
        threading.Thread(target=work, name="keychain", daemon=True).start()
        try:
            return answer.result(max(0.0, until_s - time.monotonic()))
        except TimeoutError as error:
            answer.add_done_callback(_told_late)
            raise self._silent() from error
        except _keychain_errors() as error:
            log.info("the keychain cannot be used: %s", _in_words(error))
            raise SecretsError(
                f"There is no keychain to use here: {_reason(error)}.",
                hint="Unlock or install one (gnome-keyring, KWallet) and start Lull again.",
            ) from error

    def _silent(self) -> SecretsError:
        return SecretsError(
            f"The keychain did not answer within {self._within_s:g} s.",
            hint="It may be locked: look for the window that asks for its password, unlock it, "
            "and start Lull again.",
        )


def _keychain_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that keyring and its libraries raise.

    OSError covers the D-Bus socket, RuntimeError an unsuitable backend.
    """
    from keyring.errors import KeyringError

    found: tuple[type[Exception], ...] = (KeyringError, OSError, RuntimeError, ImportError)
    if sys.platform.startswith("linux"):
        from jeepney.wrappers import DBusErrorResponse  # type: ignore[import-untyped]
        from secretstorage.exceptions import SecretStorageException

        found = (*found, DBusErrorResponse, SecretStorageException)
    return found


def _told_late(answer: Future[_R]) -> None:
    """Log that the keychain failed after the timeout, without the error's message."""
    error = answer.exception()
    if error is not None:
        log.info("the keychain failed after it was given up: %s", type(error).__name__)


def _reason(error: Exception) -> str:
    """Return why the keychain cannot be used; the library's own wording is only logged."""
    from keyring.errors import InitError, KeyringLocked, NoKeyringError

    match error:
        case KeyringLocked():
            return "it is locked"
        case InitError():
            return "it cannot be opened"
        case NoKeyringError() | ImportError():
            return "none is installed"
        case RuntimeError():
            return "none is running"
        case OSError():
            return "its service is not running"
    return "it refuses"


def _in_words(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
