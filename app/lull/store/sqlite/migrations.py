"""Lists the database migrations: one ordered SQL script per layout version.

Never edit a released script: add the next one. The file is copied aside before an older layout is
changed.
"""

from __future__ import annotations

from lull.store.sqlite.migrations_training import SEALED_ROWS, SLOW_LOOP, SLOW_LOOP_LATER

_1 = """
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE messages (
    link TEXT PRIMARY KEY,
    parent TEXT NOT NULL,
    message TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE trajectories (
    id TEXT PRIMARY KEY,
    client TEXT NOT NULL,
    session TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL,
    turns INTEGER NOT NULL,
    started TEXT NOT NULL,
    last TEXT NOT NULL,
    selection TEXT NOT NULL,
    suffixes TEXT NOT NULL DEFAULT '[]',
    generation INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX trajectories_by_last ON trajectories (last DESC, id DESC);
CREATE INDEX trajectories_by_session ON trajectories (client, session) WHERE session <> '';

CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    trajectory TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    route TEXT NOT NULL,
    model TEXT NOT NULL,
    base TEXT NOT NULL,
    adapter TEXT,
    generation INTEGER NOT NULL,
    skills TEXT NOT NULL,
    template TEXT NOT NULL,
    sampling TEXT NOT NULL,
    request_link TEXT NOT NULL,
    answer_link TEXT NOT NULL,
    finish TEXT NOT NULL,
    error TEXT NOT NULL,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    took_s REAL NOT NULL,
    note TEXT NOT NULL,
    label TEXT,
    labelled_at TEXT
) WITHOUT ROWID;
CREATE INDEX turns_by_trajectory ON turns (trajectory, number);
CREATE INDEX turns_by_answer ON turns (answer_link, at);
CREATE INDEX turns_by_request ON turns (request_link, at);

CREATE VIRTUAL TABLE words USING fts5 (text, link UNINDEXED, tokenize = 'unicode61');

CREATE TABLE secrets_seen (
    kind TEXT NOT NULL,
    mark TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (kind, mark)
) WITHOUT ROWID;

CREATE TABLE generations (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    change TEXT NOT NULL,
    detail TEXT NOT NULL
);

CREATE TABLE skill_states (
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    generation INTEGER NOT NULL REFERENCES generations (number),
    version INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    status TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    PRIMARY KEY (client, name, generation)
) WITHOUT ROWID;

CREATE TABLE skill_folders (
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (client, name)
) WITHOUT ROWID;

CREATE TABLE skill_uses (
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    uses INTEGER NOT NULL,
    last TEXT NOT NULL,
    PRIMARY KEY (client, name)
) WITHOUT ROWID;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL
);
"""

# The skills injected at each turn, so that a conversation that branches continues from the branch;
# and skill uses by asking client, because statistics are separated like skills.
_2 = """
ALTER TABLE turns ADD COLUMN suffixes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE turns ADD COLUMN known INTEGER;

ALTER TABLE skill_uses RENAME TO skill_uses_1;
CREATE TABLE skill_uses (
    asker TEXT NOT NULL,
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    uses INTEGER NOT NULL,
    last TEXT NOT NULL,
    PRIMARY KEY (asker, client, name)
) WITHOUT ROWID;
INSERT INTO skill_uses SELECT client, client, name, uses, last FROM skill_uses_1;
DROP TABLE skill_uses_1;
"""

# The fast loop: rewards, proposals, their replays and support turns, decisions, and the holdout
# coin flips. Unscored turns are found by a mark, so no queue can be lost.
_3 = """
ALTER TABLE trajectories ADD COLUMN apart INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN tools TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN format TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN read_by_score INTEGER NOT NULL DEFAULT 0;
CREATE INDEX turns_to_score ON turns (id) WHERE read_by_score = 0;

CREATE TABLE tool_sets (
    sha256 TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE rewards (
    turn TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    source TEXT,
    value REAL,
    p_good REAL,
    signals TEXT NOT NULL DEFAULT '[]',
    votes TEXT NOT NULL DEFAULT '[]',
    judge TEXT NOT NULL DEFAULT '',
    tries INTEGER NOT NULL DEFAULT 0,
    due TEXT,
    asked_at TEXT
) WITHOUT ROWID;
CREATE INDEX rewards_due ON rewards (due) WHERE due IS NOT NULL;
CREATE INDEX rewards_by_p_good ON rewards (p_good);

CREATE TABLE proposals (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    base_sha256 TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BLOB NOT NULL,
    status TEXT NOT NULL,
    origin TEXT NOT NULL,
    made_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    fields TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    before TEXT,
    generation INTEGER
) WITHOUT ROWID;
CREATE INDEX proposals_by_status ON proposals (status, made_at);

CREATE TABLE support (
    turn TEXT NOT NULL,
    proposal TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
    part TEXT NOT NULL,
    PRIMARY KEY (turn, proposal, part)
) WITHOUT ROWID;

CREATE TABLE replays (
    proposal TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    pair TEXT NOT NULL,
    PRIMARY KEY (proposal, number)
) WITHOUT ROWID;

CREATE TABLE writing_faults (
    id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    client TEXT NOT NULL,
    turns TEXT NOT NULL,
    evolver TEXT NOT NULL,
    problem TEXT NOT NULL,
    answer TEXT NOT NULL,
    due TEXT
) WITHOUT ROWID;

CREATE TABLE decisions (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    proposal TEXT NOT NULL,
    what TEXT NOT NULL,
    before TEXT NOT NULL,
    generation INTEGER,
    undone INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE coin_flips (
    trajectory TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    left_out INTEGER NOT NULL,
    share REAL NOT NULL,
    PRIMARY KEY (trajectory, client, name)
) WITHOUT ROWID;
CREATE INDEX coin_flips_by_skill ON coin_flips (client, name, sha256);
"""

# Calendar feeds with the busy times of their last good copy. A feed's address is a password and is
# kept in the keychain, never here; `path` is set only for files.
_4 = """
CREATE TABLE feeds (
    id TEXT PRIMARY KEY,
    label TEXT NOT NULL,
    host TEXT NOT NULL,
    path TEXT NOT NULL,
    means TEXT NOT NULL,
    private INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    tried_at TEXT NOT NULL,
    seen_at TEXT,
    due TEXT NOT NULL,
    failures INTEGER NOT NULL,
    fault TEXT NOT NULL,
    copy TEXT NOT NULL
) WITHOUT ROWID;
"""

# Idle windows with their reasons, how long the user was away, and the requested pause. Times are in
# UTC, so that text sorts as time.
_5 = """
CREATE TABLE windows (
    id TEXT PRIMARY KEY,
    opened_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    closed_at TEXT,
    why_opened TEXT NOT NULL,
    why_closed TEXT NOT NULL DEFAULT '',
    closed_by TEXT NOT NULL DEFAULT '',
    used_s REAL NOT NULL DEFAULT 0,
    done TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID;
CREATE INDEX windows_by_start ON windows (opened_at);

CREATE TABLE lulls (
    began_at TEXT PRIMARY KEY,
    length_s REAL NOT NULL,
    seen_to_end INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE pause (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    asked_at TEXT NOT NULL,
    until TEXT NOT NULL
);
"""

# Subject words of a support turn's request: its conversation may be deleted while the skill stays.
_6 = """
ALTER TABLE support ADD COLUMN marks TEXT NOT NULL DEFAULT '';
"""

# Conversations excluded from learning, and an index for filtering by label.
_10 = """
ALTER TABLE trajectories ADD COLUMN excluded_at TEXT;
CREATE INDEX turns_by_label ON turns (label, trajectory) WHERE label IS NOT NULL;
"""

# What readers found in user messages that follow an answer: `heard` holds MessageFindings as JSON,
# `read_by` is empty in a row of a message that no reader has read yet.
_13 = """
CREATE TABLE feedback (
    turn TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    before TEXT NOT NULL,
    read_by TEXT NOT NULL,
    read_at TEXT NOT NULL,
    corrects INTEGER NOT NULL,
    lasts INTEGER NOT NULL,
    heard TEXT NOT NULL,
    PRIMARY KEY (turn, read_by)
) WITHOUT ROWID;
CREATE INDEX feedback_by_answer ON feedback (before);
CREATE INDEX feedback_waiting ON feedback (turn) WHERE read_by = '';
CREATE INDEX feedback_lasting ON feedback (turn) WHERE lasts = 1;
"""

# Exam results of local chat models: one row per model, role and exam, also while it is running.
_14 = """
CREATE TABLE exams (
    model TEXT NOT NULL,
    digest TEXT NOT NULL,
    role TEXT NOT NULL,
    exam TEXT NOT NULL,
    at TEXT NOT NULL,
    passed INTEGER,
    marks TEXT NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (model, digest, role, exam)
) WITHOUT ROWID;
"""

# The pair of answers last shown to the user for a proposal and not yet picked from: request, seed,
# hashes of the answers, and their order. The answers themselves are not stored.
_15 = """
CREATE TABLE shown_pairs (
    proposal TEXT PRIMARY KEY REFERENCES proposals (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    with_first INTEGER NOT NULL,
    pair TEXT NOT NULL
) WITHOUT ROWID;
"""

# When each conversation's newest turn was written, in days that Lull has been running: the system
# clock may be wrong by years.
_16 = """
CREATE TABLE births (
    trajectory TEXT PRIMARY KEY REFERENCES trajectories (id) ON DELETE CASCADE,
    last TEXT NOT NULL,
    born REAL NOT NULL
) WITHOUT ROWID;
"""

# The two answers of a replayed pair, for the user to read; older pairs have none.
_17 = """
ALTER TABLE replays ADD COLUMN answers TEXT NOT NULL DEFAULT '';
"""

# Replays of approved skills in use: a past request answered with and without the skill. No pair:
# nothing could score the answers.
_18 = """
CREATE TABLE use_replays (
    number INTEGER PRIMARY KEY,
    client TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    turn TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    model TEXT NOT NULL,
    pair TEXT
);
CREATE INDEX use_replays_by_turn ON use_replays (turn);
"""

# Where each model obeys skills best: one row per model, also while it is being measured.
_19 = """
CREATE TABLE placings (
    digest TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    sheet TEXT NOT NULL,
    at TEXT NOT NULL,
    place TEXT,
    why TEXT NOT NULL,
    marks TEXT NOT NULL
) WITHOUT ROWID;
"""

# Where the search words of a message lie, and which messages follow one, so that old conversations
# are deleted without a look at all the others.
SEARCH_ROWS_ANEW = (
    "DELETE FROM search_rows",
    "INSERT OR REPLACE INTO search_rows SELECT link, rowid FROM words",
)
"""SQL statements that rebuild the table which tells where each message's search words
are stored.
"""
_20 = f"""
CREATE TABLE search_rows (
    link TEXT PRIMARY KEY,
    row INTEGER NOT NULL
) WITHOUT ROWID;
{SEARCH_ROWS_ANEW[1]};
CREATE INDEX messages_by_parent ON messages (parent);
"""

# Pieces of long requests, compressed and without secrets, that a stop left unwritten.
_21 = """
CREATE TABLE kept_pieces (
    number INTEGER PRIMARY KEY,
    turn TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    piece BLOB NOT NULL
);
CREATE INDEX kept_pieces_by_turn ON kept_pieces (turn);
"""

MIGRATIONS: tuple[str, ...] = (
    *(_1, _2, _3, _4, _5, _6),
    *SLOW_LOOP,
    _10,
    *SLOW_LOOP_LATER,
    *(_13, _14, _15, _16, _17, _18, _19, _20, _21, SEALED_ROWS),
)
