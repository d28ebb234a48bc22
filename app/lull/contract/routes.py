"""The control API: JSON over HTTP on a Unix socket that only its owner may open.

Errors come as `{"error": {"title", "detail", "hint"}}` with HTTP 400 for what was asked wrongly
(404 not found, 405 no such method, 409 conflict, 413 too large) and 500 for a fault of Lull's own.
Events are one JSON document a line, `{"seq", "at", "kind", "fields"}`; a watcher that was away
asks again with the last `seq` it saw.
"""

from __future__ import annotations

STATUS = "/v1/status"
SNAPSHOT = "/v1/snapshot"
EVENTS = "/v1/events"
STOP = "/v1/stop"
OPEN = "/v1/open"
CONVERSATIONS = "/v1/conversations"
CONVERSATION = "/v1/conversations/{id}"
RATE = "/v1/turns/{id}/rate"
SKILLS = "/v1/skills"
SKILLS_HISTORY = "/v1/skills/history"
SKILLS_DIFF = "/v1/skills/diff"
SKILLS_CHANGE = "/v1/skills/change"
SKILLS_VERIFY = "/v1/skills/verify"
PROPOSALS = "/v1/proposals"
PROPOSALS_PROVE = "/v1/proposals/prove"
PROPOSALS_UNDO = "/v1/proposals/undo"
PROPOSAL = "/v1/proposals/{id}"
PROPOSAL_DO = "/v1/proposals/{id}/{action}"
"""Approve, reject, defer or edit."""
CALENDARS = "/v1/calendars"
CALENDARS_TEST = "/v1/calendars/test"
CALENDAR_REMOVE = "/v1/calendars/remove"
SETTINGS = "/v1/settings"
DOCTOR = "/v1/doctor"
WHY = "/v1/why"
PAUSE = "/v1/pause"
RESUME = "/v1/resume"
