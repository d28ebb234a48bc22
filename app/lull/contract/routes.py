"""Defines the paths of the control API for the desktop window and the command line: JSON over HTTP
on a Unix socket that only its owner can open.

Errors are `{"error": {"title", "detail", "hint"}}` with HTTP 400 for a bad request (404 not found,
405 wrong method, 409 conflict, 413 too large) and 500 for a fault in Lull. Events are one JSON
document per line, `{"seq", "at", "kind", "fields"}`; a client that reconnects sends the last `seq`
it saw.
"""

from __future__ import annotations

STATUS = "/v1/status"
TOKEN = "/v1/token"
"""GET: the network token that other machines must send, `{"token": TOKEN or null}`. No other route
returns the token, because users paste status, doctor and settings into reports. POST `{"do":
"forget"}` deletes it from the keychain.
"""
SNAPSHOT = "/v1/snapshot"
EVENTS = "/v1/events"
STOP = "/v1/stop"
CONVERSATIONS = "/v1/conversations"
CONVERSATION = "/v1/conversations/{id}"
CONVERSATION_KINDS = "/v1/conversation-kinds"
"""GET: the clients and models by which conversations can be filtered."""
CONVERSATION_EXCLUDE = "/v1/conversations/{id}/exclude"
"""POST: excludes a conversation from learning, or includes it again: `{"excluded": true or false}`.
"""
LEARNING = "/v1/learning"
"""GET: rewards of answers since `from` (ISO 8601), `?from=&client=&model=&skill=`. JSON shape:
`service/training/learning_view.py`.
"""
TURN = "/v1/turns/{id}"
"""GET: one turn (a request with its answer), with the id of its conversation."""
RATE = "/v1/turns/{id}/rate"
TURN_CORRECT = "/v1/turns/{id}/correct"
"""POST: stores what the user says in Lull's window that this answer should have been:
`{"words": ...}`. It is read and learned from like a next message in the chat app.
"""
TURN_DENY = "/v1/turns/{id}/deny"
"""POST: the user's message after this answer did not correct it: `{"denied": true}`; false takes
that back.
"""
FEEDBACK = "/v1/feedback"
"""GET: the feedback found in the user's follow-up messages. POST: reads these messages again."""
SKILLS = "/v1/skills"
SKILLS_HISTORY = "/v1/skills/history"
SKILLS_DIFF = "/v1/skills/diff"
SKILLS_CHANGE = "/v1/skills/change"
SKILLS_VERIFY = "/v1/skills/verify"
PROPOSALS = "/v1/proposals"
PROPOSALS_PROVE = "/v1/proposals/prove"
PROPOSALS_UNDO = "/v1/proposals/undo"
PROPOSAL = "/v1/proposals/{id}"
PROPOSAL_COMPARE = "/v1/proposals/{id}/compare"
"""GET: two answers to a past request, with and without a proposed skill, for the user to choose
from.
"""
PROPOSAL_PAIRS = "/v1/proposals/{id}/pairs"
"""GET: every past request answered with and without a proposed skill, with both answers and who
scored them.
"""
PROPOSAL_PICK = "/v1/proposals/{id}/pick"
PROPOSAL_DO = "/v1/proposals/{id}/{action}"
"""POST: approves, rejects, defers or edits a proposed skill."""
TRY = "/v1/try"
"""POST: returns two chat requests, without and with a skill or proposed skill, that the window
sends as they are for the user to try it. JSON shape: `service/proof/trying.py`.
"""
CALENDARS = "/v1/calendars"
CALENDARS_TEST = "/v1/calendars/test"
CALENDAR_REMOVE = "/v1/calendars/remove"
CLIENTS = "/v1/clients"
"""GET: the chat clients that Lull knows, and whether each is installed and connected to Lull."""
CLIENT_DO = "/v1/clients/{name}/{action}"
"""POST: `plan` shows what connecting a chat client would write into its files, `connect` writes it,
`test` sends a real request, `undo` restores the client's files. JSON shapes:
`service/clients/connecting.py`.
"""
SETTINGS = "/v1/settings"
DOCTOR = "/v1/doctor"
WHY = "/v1/why"
PAUSE = "/v1/pause"
RESUME = "/v1/resume"
WINDOWS = "/v1/windows"
"""GET: the idle windows (times in which background work could run), `?from=&to=&limit=`. JSON
shape: `service/idle/window_views.py`.
"""
ADAPTERS = "/v1/adapters"
ADAPTERS_COMPARE = "/v1/adapters/compare"
ADAPTERS_PROMOTE = "/v1/adapters/promote"
ADAPTERS_ROLLBACK = "/v1/adapters/rollback"
ADAPTER = "/v1/adapters/id/{id}"
MODELS = "/v1/models"
MODELS_CHOOSE = "/v1/models/choose"
MODELS_CHOOSING = "/v1/models/choosing"
MODELS_EXAMS = "/v1/models/exams"
"""GET: results of the exams, which decide whether a chat model may read feedback, judge answers or
write skills, and which model has which of these roles. POST: start the exams now.

JSON shape: `service/models/exams.py`.
"""
MODELS_BUILT_IN = "/v1/models/built-in"
"""GET: whether the weights of the built-in chat model have been made, or the progress of making
them. POST: make them now, in the background.
"""
TRAIN = "/v1/train"
TRAIN_NOW = "/v1/train/now"
TRAIN_RUN = "/v1/train/runs/{id}"
"""GET: one LoRA training run, with the turns, conversations and skills that it was trained on
(`made_of`) and its steps (`curve`).
"""
TRAIN_CANCEL = "/v1/train/runs/{id}/cancel"
FORGET = "/v1/forget"
BACKUP = "/v1/backup"
"""GET: the existing backups. POST: makes a backup. JSON shape: `service/backups/backups.py`."""
TRASH = "/v1/trash"
"""GET: old conversations that were moved to the trash, by step (one removal each). POST: `{"do":
"restore", "step": ID}` restores the conversations of a step, `{"do": "sweep"}` moves old ones to
the trash now, `{"do": "empty"}` deletes all in it. JSON shape: `service/chat/throwing_away.py`.
"""
