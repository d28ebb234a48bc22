"""Tests of reading OLLAMA_HOST the way Ollama itself reads it."""

from __future__ import annotations

import pytest

from lull.config.settings import UpstreamSettings
from lull.core.errors import SettingsError


def upstream(ollama_host: str | None, address: str = "") -> str:
    environ = {} if ollama_host is None else {"OLLAMA_HOST": ollama_host}
    return UpstreamSettings(address=address).resolved(environ)


@pytest.mark.parametrize(
    ("ollama_host", "address"),
    [
        (None, "http://127.0.0.1:11434"),
        ("", "http://127.0.0.1:11434"),
        (":5000", "http://127.0.0.1:5000"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:5000", "http://127.0.0.1:5000"),
        ("[::]:5000", "http://[::1]:5000"),
        ("gpu.local", "http://gpu.local:11434"),
        ("gpu.local:5000/", "http://gpu.local:5000"),
        ("http://gpu.local", "http://gpu.local:80"),
        ("https://gpu.local/ollama", "https://gpu.local:443/ollama"),
        ("[::1]", "http://[::1]:11434"),
        (' "127.0.0.1:5000" ', "http://127.0.0.1:5000"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(ollama_host: str | None, address: str) -> None:
    assert upstream(ollama_host) == address


def test_the_setting_counts_more_than_ollama_host() -> None:
    assert upstream("gpu.local", "http://10.0.0.1:1") == "http://10.0.0.1:1"


@pytest.mark.parametrize("ollama_host", ["127.0.0.1:none", "ftp://host", "[::1", "host:99999"])
def test_an_ollama_host_that_is_no_address_is_told(ollama_host: str) -> None:
    with pytest.raises(SettingsError, match="OLLAMA_HOST"):
        upstream(ollama_host)


@pytest.mark.parametrize(
    "ollama_host", ["http://127.0.0.1:11435", "localhost:11435", "[::1]:11435"]
)
def test_lull_does_not_take_its_own_address_for_that_of_ollama(ollama_host: str) -> None:
    """Tests OLLAMA_HOST set to Lull's own address, as `lull connect environment` does."""
    found = UpstreamSettings().resolved({"OLLAMA_HOST": ollama_host}, own_port=11435)
    assert found == "http://127.0.0.1:11434"


def test_another_machine_with_lulls_port_is_asked_as_it_says() -> None:
    environ = {"OLLAMA_HOST": "gpu.local:11435"}
    assert UpstreamSettings().resolved(environ, own_port=11435) == "http://gpu.local:11435"
