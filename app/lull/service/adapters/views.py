"""Builds the JSON of LoRA adapters for the control API and `lull adapters --json`.

New versions of Lull only add keys to this JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lull.contract.json_object import Json
from lull.core.adapters.adapter import AdaptersInForce, AdapterVersion
from lull.core.adapters.gate_report import Verdict, verdict_json
from lull.core.errors import Conflict
from lull.store.adapters.adapter_rows import MoveRow
from lull.store.adapters.adapters import Adapters


def listed_view(adapters: Adapters, model: str | None) -> Json:
    """Return the JSON of all LoRA adapters, newest first; `model` is the model now being
    trained.
    """
    models = adapters.models()
    chosen = model if model in models or not models else models[-1]
    force = adapters.in_force(chosen) if chosen is not None else None
    return {
        "model": chosen,
        "active": force.active if force else None,
        "shadow": force.shadow if force else None,
        "held": force.held if force else None,
        "held_share": force.held_share if force else 0.0,
        "adapters": [adapter_view(one) for one in adapters.all()],
    }


def adapter_view(version: AdapterVersion) -> Json:
    """Return the JSON that the control API shows of a trained adapter."""
    return {
        "id": version.id,
        "parent": version.parent,
        "base": version.base_model,
        "base_digest": version.base_digest,
        "sha256": version.sha256,
        "status": version.status.value,
        "made": version.made.isoformat(),
        "run": version.run,
        "accepted": version.verdict.accepted if version.verdict else None,
        "reasons": list(version.verdict.reasons) if version.verdict else [],
    }


def shown_view(adapters: Adapters, adapter: str) -> Json:
    """Return the JSON of one LoRA adapter with its history. Raises NotFound."""
    version = adapters.get(adapter)
    force = adapters.in_force(version.base_model)
    return {
        **adapter_view(version),
        "line": list(adapters.lineage(adapter)),
        "learned": _learned(adapters, adapter),
        "share": _share(force, adapter),
        "verdict": _verdict_view(version.verdict),
        "moves": [
            {
                "at": move.at.isoformat(),
                "move": move.move.value,
                "active": move.active,
                "shadow": move.shadow,
                "why": move.why,
            }
            for move in _moves_of(adapter, adapters.moves(version.base_model))
        ],
    }


def _moves_of(adapter: str, moves: Sequence[MoveRow]) -> list[MoveRow]:
    """Return the changes, newest first, that took an adapter into use, kept it there or took it
    out, as a rollback to the base model does, which names none.
    """
    before = [*moves[1:], None]
    return [
        move
        for move, last in zip(moves, before, strict=False)
        if adapter in (move.active, move.shadow)
        or (last is not None and adapter in (last.active, last.shadow))
    ]


def _share(force: AdaptersInForce, adapter: str) -> float:
    """Return the share of new conversations that the adapter answers."""
    if adapter == force.shadow:
        return force.share
    if adapter == force.active:
        return 1.0 - force.share * (force.shadow is not None) - force.held_share
    return force.held_share if adapter == force.held else 0.0


def compared_view(adapters: Adapters, a: str, b: str) -> Json:
    """Return the JSON of two LoRA adapters' gate checks (their tests before use) side by side.

    Raises NotFound, Conflict.
    """
    one, two = adapters.get(a), adapters.get(b)
    if one.base_model != two.base_model:
        raise Conflict(
            f"{a} and {b} are of different models.", hint="Compare two adapters of the same model."
        )
    names = list(dict.fromkeys(check.name for v in (one, two) for check in _checks(v)))
    return {
        "a": adapter_view(one),
        "b": adapter_view(two),
        "same_files": one.sha256 == two.sha256,
        "checks": [
            {"name": name, "a": _check_view(one, name), "b": _check_view(two, name)}
            for name in names
        ],
        "learned_only_a": _only(adapters, a, b),
        "learned_only_b": _only(adapters, b, a),
    }


def _only(adapters: Adapters, one: str, other: str) -> list[Json]:
    there = _learned(adapters, other)
    return [skill for skill in _learned(adapters, one) if skill not in there]


def _learned(adapters: Adapters, adapter: str) -> list[Json]:
    return [
        {"client": one.skill.client, "name": one.skill.name, "sha256": one.sha256}
        for one in adapters.learned(adapter)
    ]


def _checks(version: AdapterVersion) -> Sequence[Any]:
    return version.verdict.checks if version.verdict else ()


def _check_view(version: AdapterVersion, name: str) -> Json | None:
    for check in _checks(version):
        if check.name == name:
            return {
                "holds": check.holds,
                "text": check.text,
                "value": check.value,
                "limit": check.limit,
            }
    return None


def _verdict_view(verdict: Verdict | None) -> Json | None:
    if verdict is None:
        return None
    return {**verdict_json(verdict), "reasons": list(verdict.reasons)}
