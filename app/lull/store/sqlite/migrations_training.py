"""Database migrations of the tables for training: adapters, training runs, the turns and skills
that runs were made of, models published in Ollama, and the sealed copies of such rows.

The list `MIGRATIONS` contains them and fixes their order.
"""

from __future__ import annotations

# Adapters: their status, which one is in force for each model, the log of changes, the gate's
# measurements (pair by pair, so that an interrupted gate can continue), and the skills learned.
_7 = """
CREATE TABLE adapters (
    id TEXT PRIMARY KEY,
    parent TEXT,
    base_model TEXT NOT NULL,
    base_digest TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    run TEXT,
    status TEXT NOT NULL,
    made TEXT NOT NULL,
    verdict TEXT
) WITHOUT ROWID;
CREATE INDEX adapters_by_made ON adapters (made, id);

CREATE TABLE adapters_in_force (
    model TEXT PRIMARY KEY,
    active TEXT REFERENCES adapters (id),
    shadow TEXT REFERENCES adapters (id),
    share REAL NOT NULL DEFAULT 0,
    since TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE adapter_moves (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    model TEXT NOT NULL,
    move TEXT NOT NULL,
    active TEXT,
    shadow TEXT,
    why TEXT NOT NULL
);

CREATE TABLE gate_plans (
    adapter TEXT PRIMARY KEY REFERENCES adapters (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    plan TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE gate_measures (
    adapter TEXT NOT NULL REFERENCES adapters (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    measure TEXT NOT NULL,
    PRIMARY KEY (adapter, name)
) WITHOUT ROWID;

CREATE TABLE adapter_learned (
    adapter TEXT NOT NULL REFERENCES adapters (id) ON DELETE CASCADE,
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (adapter, client, name, sha256)
) WITHOUT ROWID;
"""

# Training: rollout groups, runs, and each run's sources, so that weights trained on a conversation
# to be forgotten can be found. Sources outlive the conversation.
_8 = """
CREATE TABLE rollouts (
    id TEXT PRIMARY KEY,
    turn TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    base TEXT NOT NULL,
    adapter TEXT NOT NULL,
    skills TEXT NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    reward REAL,
    scored_by TEXT NOT NULL,
    prompt_ids TEXT NOT NULL,
    samples TEXT NOT NULL,
    run TEXT
) WITHOUT ROWID;
CREATE INDEX rollouts_by_policy ON rollouts (base, adapter, turn);

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    why TEXT NOT NULL,
    made_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    model TEXT NOT NULL,
    base TEXT NOT NULL,
    root TEXT,
    parent TEXT,
    adapter TEXT,
    fields TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX runs_by_status ON runs (status, made_at);

CREATE TABLE run_sources (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    trajectory TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run, kind, source)
) WITHOUT ROWID;
CREATE INDEX run_sources_by_source ON run_sources (source);
CREATE INDEX run_sources_by_trajectory ON run_sources (trajectory) WHERE trajectory <> '';
"""

# Versions published in Ollama; a name stays taken after its version is removed.
_9 = """
CREATE TABLE published (
    model TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    adapter TEXT NOT NULL,
    base TEXT NOT NULL,
    status TEXT NOT NULL,
    at TEXT NOT NULL,
    why TEXT NOT NULL,
    agreement TEXT NOT NULL,
    PRIMARY KEY (model, number)
) WITHOUT ROWID;
"""

# The turn whose wish a group was scored by: once that is forgotten, teaches a skill or no longer
# holds, the group may not be used for training.
_11 = """
ALTER TABLE rollouts ADD COLUMN wish TEXT NOT NULL DEFAULT '';
"""

# After a promotion the previous adapter keeps answering a share of conversations.
_12 = """
ALTER TABLE adapters_in_force ADD COLUMN held TEXT REFERENCES adapters (id);
ALTER TABLE adapters_in_force ADD COLUMN held_share REAL NOT NULL DEFAULT 0;
"""

# Sealed copies of rows (store/rows/sealed_rows.py). The hash of the adapter that the trainer says
# it wrote, by run; runs from before have none. Which proofs Lull itself has written. What is there
# is sealed as it is, once the tables are made, because SQL cannot compute keyed hashes.
SEALED_ROWS = """
CREATE TABLE row_seals (
    part TEXT NOT NULL,
    id TEXT NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE TABLE trained_adapters (
    run TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO trained_adapters SELECT id, '' FROM runs
    WHERE status IN ('trained', 'judging', 'stuck');
CREATE TABLE proof_records (
    skill_sha256 TEXT NOT NULL,
    evidence_sha256 TEXT NOT NULL,
    PRIMARY KEY (skill_sha256, evidence_sha256)
) WITHOUT ROWID;
INSERT OR REPLACE INTO facts VALUES ('rows-to-seal', 'adapters adapter_learned adapters_in_force'
    || ' adapter_moves published trained_adapters proof_records');
INSERT OR REPLACE INTO facts SELECT 'proofs-to-seal', ''
    WHERE EXISTS (SELECT 1 FROM generations);
"""

SLOW_LOOP = (_7, _8, _9)
SLOW_LOOP_LATER = (_11, _12)
