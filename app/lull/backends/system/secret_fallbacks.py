"""Secret stores for a machine without a keychain: in memory, in the environment, in a file."""

from __future__ import annotations

import json
import os
import re
import stat
import threading
from collections.abc import Mapping
from pathlib import Path

from lull.config.private_file import write_private
from lull.core.errors import SecretsError

ENVIRONMENT_PREFIX = "LULL_SECRET_"


class MemorySecrets:
    """Keeps secrets in memory for one session (implements `SecretStore`); nothing is written."""

    kind = "memory"

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        self._values[name] = value

    def delete(self, name: str) -> None:
        self._values.pop(name, None)


class EnvironmentSecrets(MemorySecrets):
    """Reads secrets from environment variables LULL_SECRET_<NAME>.

    Secrets set through this object take precedence and last for the session.
    """

    kind = "environment"

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__()
        self._environ = environ

    def get(self, name: str) -> str | None:
        own = super().get(name)
        return own if own is not None else self._environ.get(environment_name(name)) or None

    def delete(self, name: str) -> None:
        super().delete(name)
        if self.get(name) is not None:
            raise SecretsError(
                f"'{name}' comes from the environment and cannot be deleted here.",
                hint=f"Unset {environment_name(name)} and start Lull again.",
            )


def environment_name(name: str) -> str:
    """Return the environment variable that may hold the secret of this name."""
    return ENVIRONMENT_PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper())


class FileSecrets:
    """Stores secrets in a JSON file of mode 0600, read on every call (implements `SecretStore`).

    A file that others can read is refused, as ssh refuses such keys: its secrets may be known.
    """

    kind = "file"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._one_change = threading.Lock()
        """Held during a change, which reads and then writes the file; callers come from several
        threads.
        """

    def get(self, name: str) -> str | None:
        return self._read().get(name)

    def set(self, name: str, value: str) -> None:
        with self._one_change:
            self._write({**self._read(), name: value})

    def delete(self, name: str) -> None:
        with self._one_change:
            values = self._read()
            if values.pop(name, None) is not None:
                self._write(values)

    def _read(self) -> dict[str, str]:
        try:
            found = self._path.lstat()
            if not stat.S_ISREG(found.st_mode) or (os.name == "posix" and found.st_mode & 0o077):
                raise SecretsError(
                    f"{self._path} can be read by others or is not a regular file.",
                    hint=f"Change what it holds, then run `chmod 600 '{self._path}'`.",
                )
            values = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise SecretsError(
                f"{self._path} cannot be read: {error.strerror}.", hint="Check whose file it is."
            ) from error
        except ValueError:
            # Not raised from the JSON error, which contains the text with the secrets.
            values = None
        if not isinstance(values, dict) or not all(isinstance(v, str) for v in values.values()):
            raise SecretsError(
                f"{self._path} is damaged: it is not a JSON object of strings.",
                hint="Delete it and enter the secrets again.",
            )
        return values

    def _write(self, values: Mapping[str, str]) -> None:
        try:
            write_private(self._path, json.dumps(dict(values), indent=1).encode())
        except OSError as error:
            raise SecretsError(
                f"{self._path} cannot be written: {error.strerror}.",
                hint="The file was not changed.",
            ) from error
