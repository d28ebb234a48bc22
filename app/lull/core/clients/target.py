"""The values written into a client program's configuration: Lull's address, and the model that the
client asks for by default.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

OLLAMA_PORT = 11434
_HERE = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectTarget:
    """The values that are written into a client program's configuration so that it uses Lull's
    proxy: Lull's address and a default model.
    """

    address: str
    """Lull's address, such as `http://127.0.0.1:11435`, without a slash at its end."""
    model: str = ""
    """Name of a local model, for clients that otherwise ask for one that only their maker has."""

    earlier: tuple[str, ...] = ()
    """Addresses of Lull that earlier connections wrote into the configuration; they are replaced,
    too.
    """

    def replaces(self, address: str) -> bool:
        """Whether Lull's address must replace this address in a client's configuration: it is that
        of the local Ollama, or one that Lull had before.
        """
        bare = address.rstrip("/")
        known = {one for old in (self.address, *self.earlier) for one in (old, f"{old}/v1")}
        return bare in known or is_local_ollama(bare)

    @property
    def openai(self) -> str:
        """Lull's base URL for clients that speak OpenAI's protocol."""
        return f"{self.address}/v1"


def is_local_ollama(address: str) -> bool:
    """Whether an address is that of an Ollama server on this machine, at its usual port."""
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        return (parts.hostname or "") in _HERE and parts.port == OLLAMA_PORT
    except ValueError:
        return False
