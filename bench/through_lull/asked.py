"""Chooses the model under test from the command line: an endpoint that the user names, or a
script.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from bench.models.endpoint import Endpoint
from bench.models.ollama_face import OllamaFace
from bench.through_lull.conditions import Upstream

KEY_FROM = "BENCH_API_KEY"
"""Environment variable with the endpoint's key; a key on the command line would be visible to
everybody.
"""


def add_endpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--endpoint", help="http://host:port of the model; none: scripted student")
    parser.add_argument("--protocol", choices=("openai", "ollama"), default="openai")
    parser.add_argument("--model", default="", help="the model's name at the endpoint")
    parser.add_argument("--judge", help="model that scores for Lull (the same; '' for none)")
    parser.add_argument(
        "--writer", help="model that writes skills for Lull (the same; '' for none)"
    )
    parser.add_argument("--allow-remote", action="store_true", help="Lull may ask another machine")
    parser.add_argument(
        "--window", type=int, default=32_768, help="tokens that an OpenAI model's window holds"
    )
    parser.add_argument("--temperature", type=float, default=0.0)


@contextmanager
def named(args: argparse.Namespace) -> Iterator[tuple[Endpoint, Upstream]]:
    """Yield the endpoint named on the command line. Raises ValueError."""
    if not args.model:
        raise ValueError("--endpoint wants --model, too")
    address = args.endpoint.rstrip("/").removesuffix("/v1").removesuffix("/api")
    key = os.environ.get(KEY_FROM, "")
    endpoint = Endpoint(address=address, model=args.model, key=key, **_known(args))
    upstream = _upstream(endpoint, args, args.model, args.model)
    if endpoint.protocol == "ollama":
        yield endpoint, upstream
        return
    # Lull stands before an Ollama; an OpenAI server gets the face of one.
    names = [name for name in (upstream.model, upstream.judge, upstream.writer) if name]
    with OllamaFace(endpoint, names, window_tokens=args.window) as face:
        yield endpoint, replace(upstream, address=face.address)


def scripted(
    args: argparse.Namespace, address: str, names: tuple[str, str, str]
) -> tuple[Endpoint, Upstream]:
    """Return the endpoint and upstream for models on a scripted server; `names`: of model, judge
    and writer, "" for none.
    """
    model, judge, writer = names
    endpoint = Endpoint(address=address, model=model, **_known(args))
    return endpoint, _upstream(endpoint, args, judge, writer)


def identity_of(args: argparse.Namespace) -> list[object]:
    """Return the settings that must be equal for a run to continue an earlier one."""
    told: list[object] = [
        args.seed,
        args.endpoint,
        args.protocol,
        args.model,
        args.judge,
        args.writer,
        args.temperature,
    ]
    return told + ([args.window, args.allow_remote] if args.endpoint else [])


def _known(args: argparse.Namespace) -> dict[str, Any]:
    return {"protocol": args.protocol, "temperature": args.temperature, "seed": args.seed}


def _upstream(endpoint: Endpoint, args: argparse.Namespace, judge: str, writer: str) -> Upstream:
    return Upstream(
        address=endpoint.address,
        model=endpoint.model,
        judge=judge if args.judge is None else args.judge,
        writer=writer if args.writer is None else args.writer,
        allow_remote=args.allow_remote,
    )
