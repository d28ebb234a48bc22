"""What the slow loop added to the database: adapters, runs, what those were made of, publications.

A part of `migrations`, which says how these are applied; their order is the file's.
"""

from __future__ import annotations

# Adapters: where each stands, which one is in force for which model, how that came about, what was
# measured for the gate (each pair for itself, so that a gate goes on where it was left), and which
# skills an adapter has learned.
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

# Training: sampled groups, the runs that were made of them, and what each run was made of, so that
# what is to be forgotten can be found in the weights. Sources outlive the conversation.
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

# What Lull has published in Ollama: the name stays taken also when the version has gone.
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

# By whose words a group was scored: when these are forgotten, teach a skill or no longer hold, it
# may not train.
_11 = """
ALTER TABLE rollouts ADD COLUMN wish TEXT NOT NULL DEFAULT '';
"""

# After a trial what was in force before goes on answering a few conversations.
_12 = """
ALTER TABLE adapters_in_force ADD COLUMN held TEXT REFERENCES adapters (id);
ALTER TABLE adapters_in_force ADD COLUMN held_share REAL NOT NULL DEFAULT 0;
"""

SLOW_LOOP = (_7, _8, _9)
SLOW_LOOP_LATER = (_11, _12)
