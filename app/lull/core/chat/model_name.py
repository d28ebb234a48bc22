"""Model names as Ollama compares them: `[host/][namespace/]model[:tag]`, case ignored."""

from __future__ import annotations

_DEFAULT_HOST = "registry.ollama.ai/"
_DEFAULT_NAMESPACE = "library/"


def canonical(name: str) -> str:
    """Return the canonical spelling of a model name: lower case, `:latest` added, the default host
    and namespace removed.
    """
    plain = name.strip().lower()
    plain = plain.removeprefix("http://").removeprefix("https://").removeprefix(_DEFAULT_HOST)
    plain = plain.removeprefix(_DEFAULT_NAMESPACE)
    return plain if ":" in plain.rsplit("/", 1)[-1] else f"{plain}:latest"


def runs_elsewhere(name: str) -> bool:
    """Whether a model runs on another machine: its name has the tag `:cloud` or `…-cloud`."""
    tag = canonical(name).rsplit(":", 1)[-1]
    return tag == "cloud" or tag.endswith("-cloud")
