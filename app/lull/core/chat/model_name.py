"""Model names as Ollama compares them: `[host/][namespace/]model[:tag]`, case ignored."""

from __future__ import annotations

from collections.abc import Iterable

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


def names_one_of(name: str, models: Iterable[str]) -> bool:
    """Whether a name means one of these models, in any spelling of their names."""
    return canonical(name) in map(canonical, models)


def runs_elsewhere(name: str) -> bool:
    """Whether a model runs on another machine: its name has the tag `:cloud` or `…-cloud`."""
    tag = canonical(name).rsplit(":", 1)[-1]
    return tag == "cloud" or tag.endswith("-cloud")
