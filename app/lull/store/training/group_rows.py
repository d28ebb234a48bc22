"""Converts rows of the table of rollout groups (answers sampled for training) to values."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final

from lull.core.training.rollout import RolloutAnswer, RolloutGroup, SampledPolicy
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues


def _group(row: NamedValues) -> RolloutGroup:
    return RolloutGroup(
        id=row["id"],
        turn=row["turn"],
        trajectory=row["trajectory"],
        at=datetime.fromisoformat(row["at"]),
        policy=SampledPolicy(base=row["base"], adapter=row["adapter"]),
        skills=tuple(json.loads(row["skills"])),
        number=row["number"],
        prompt_ids=tuple(json.loads(row["prompt_ids"])),
        samples=tuple(
            RolloutAnswer(ids=tuple(d["ids"]), logprobs=tuple(d["logprobs"]), reward=d["reward"])
            for d in json.loads(row["samples"])
        ),
        scored_by=row["scored_by"],
        run=row["run"],
        wish=row["wish"],
    )


GROUP_ROWS: Final = MeasuredRows(
    "rollouts",
    _group,
    columns="*, (SELECT trajectory FROM turns WHERE turns.id = rollouts.turn) AS trajectory",
)
