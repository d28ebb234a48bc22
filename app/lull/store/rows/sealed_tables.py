"""Lists the tables whose rows have sealed copies (each with a keyed hash), because they decide what
answers users or say what Lull itself has made.
"""

from __future__ import annotations

from typing import Final

from lull.store.rows.sealed_rows import SealedTable

ADAPTERS: Final = SealedTable(
    "adapters",
    columns=(
        *("id", "parent", "base_model", "base_digest", "sha256", "run", "status", "made"),
        "verdict",
    ),
    group=("id",),
)
ADAPTERS_IN_FORCE: Final = SealedTable(
    "adapters_in_force",
    columns=("model", "active", "shadow", "share", "since", "held", "held_share"),
    group=("model",),
    current=True,
)
ADAPTER_MOVES: Final = SealedTable(
    "adapter_moves",
    columns=("number", "at", "model", "move", "active", "shadow", "why"),
    group=("number",),
)
ADAPTER_LEARNED: Final = SealedTable(
    "adapter_learned",
    columns=("adapter", "client", "name", "sha256"),
    group=("adapter",),
)
PUBLISHED: Final = SealedTable(
    "published",
    columns=("model", "number", "name", "adapter", "base", "status", "at", "why", "agreement"),
    group=("model", "number"),
)
TRAINED_ADAPTERS: Final = SealedTable("trained_adapters", columns=("run", "sha256"), group=("run",))
PROOF_RECORDS: Final = SealedTable(
    "proof_records",
    columns=("skill_sha256", "evidence_sha256"),
    group=("skill_sha256",),
)

OF_ADAPTERS: Final = (ADAPTERS, ADAPTER_LEARNED, ADAPTERS_IN_FORCE, ADAPTER_MOVES)
"""The tables of adapters; rows refer only to rows of earlier ones."""
SEALED_TABLES: Final = (*OF_ADAPTERS, PUBLISHED, TRAINED_ADAPTERS, PROOF_RECORDS)
