"""A played week: what the control API would answer in a user's Lull in which much has happened."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from lull.config.files import describe_settings
from lull.config.settings import Settings
from lull.contract import routes
from lull.contract.json_object import Json
from tests.desktop.played.clients import clients
from tests.desktop.played.learning import NOW, adapters, ago, history, learned, runs
from tests.desktop.scripted import Scripted, learning, status

TITLES = (
    "Write a lunch menu with soup and two mains, please.",
    "Why does this test hang when the socket is closed first? Here is the trace.",
    "List the rivers of France with their lengths",
    "Rename the columns and send it to the server with key ⟨secret:openai-key:1⟩",
    "Shorten this paragraph to two sentences.",
)

DIFF = """--- menu-style in force
+++ menu-style proposed
@@ -1,5 +1,6 @@
 # Menus

-Write each dish on a line of its own.
+Join the dishes of one course with bars, like this: soup | salad.
+Never number them.
 Keep to the order in which they were asked for.
 Prices come last."""


def play(scripted: Scripted, logs: Path) -> None:
    scripted.answers |= {
        routes.STATUS: status(
            drifted=[{"name": "continue", "title": "Continue"}],
            skills={"active": 6, "proposals": 3},
            conversations=214,
            turns=903,
            question="turn_5",
            learning=learning(
                next=(NOW + timedelta(hours=1, minutes=40)).isoformat(),
                work=[
                    {
                        "kind": "proof",
                        "text": "Proving short-answers",
                        "progress": 0.4,
                        "left_s": 1500.0,
                        "why_not": "",
                    },
                    {
                        "kind": "rollout",
                        "text": "Generating answers to 8 requests",
                        "progress": 0.1,
                        "left_s": 2400.0,
                        "why_not": "",
                    },
                ],
            ),
        ),
        routes.PROPOSALS: {"proposals": proposals(), "faults": [], "generation": 9},
        routes.PROPOSAL_COMPARE.format(id=COMPARED): compared(),
        routes.SKILLS: {"generation": 9, "skills": skills()},
        routes.SKILLS_HISTORY: {"history": history()},
        routes.SKILLS_DIFF: {"from": "v1", "to": "v2", "diff": DIFF},
        routes.CONVERSATIONS: {"conversations": conversations(), "next": None},
        routes.CONVERSATION_KINDS: {
            "clients": ["curl", "editor", "notes", "open-webui"],
            "models": ["qwen3:4b"],
        },
        routes.LEARNING: learned(),
        routes.TRAIN: {"runs": runs(), "text": "Waits for 8 telling requests; 5 are there."},
        routes.ADAPTERS: adapters(),
        routes.WINDOWS: windows(),
        routes.CALENDARS: {"calendars": [feed()]},
        routes.SETTINGS: {"file": "settings.toml", "settings": settings()},
        routes.CLIENTS: clients(),
        routes.DOCTOR: {"checks": checks()},
        routes.MODELS: models(),
    }
    for one in conversations():
        scripted.answers[routes.CONVERSATION.format(id=one["id"])] = {**one, "turns": turns()}
    for turn in turns():
        scripted.answers[routes.TURN.format(id=turn["id"])] = turn
    _log(logs)


COMPARED = "prop_1"


def compared() -> Json:
    """Return a pair of answers to pick from."""
    return {
        "working": False,
        "pair": "pair_1",
        "request": "Write to the landlord that the heating is broken.",
        "wish": "Mails of mine are calm and never longer than they have to be.",
        "a": "Dear Mr Hale,\n\nthe heating in flat 3 has been off since Monday. "
        "Could you send somebody this week?\n\nKind regards\nMara Lind",
        "b": "Dear Mr Hale!!\n\nI hope this finds you well! I'm writing to let you know that, very "
        "sadly, our heating has stopped working, and it is so cold in here that we wear coats at "
        "breakfast!\n\nCould you please, please send somebody?\n\nWarmest wishes\nMara Lind",
        "wanted": 6,
        "alike": 1,
        "status": "unproved",
        "open": True,
        "wins": 0,
        "losses": 0,
    }


def proposals() -> list[Json]:
    proved = {
        "pairs": 26,
        "requests": 6,
        "wins": 15,
        "losses": 1,
        "better": {"share": 0.9375, "above": 0.58, "n": 16},
        "e_value": 71.3,
        "harm_e_value": 0.04,
        "success_pairs": 8,
        "success_wins": 1,
        "success_losses": 0,
        "needs_e_value": 20.0,
        "most_pairs": 60,
        "scored_by": ["verifier:qwen3"],
    }
    base = {
        "client": None,
        "sha256": "b" * 64,
        "provenance": [
            {
                "sentence": "Join the dishes of one course with bars",
                "source": "user",
                "whose": "derived",
                "quoted": ["with bars"],
                "turn": "turn_5",
            },
            {
                "sentence": "Never number them.",
                "source": "user",
                "whose": "derived",
                "quoted": [],
                "turn": "turn_5",
            },
        ],
        "flags": [],
        "description": "When a menu or a list of dishes is asked for.",
        "body": "# Menus\n\nJoin the dishes of one course with **bars**, like this: "
        "soup | salad.\nNever number them.\n",
        "text": "",
        "reason": "",
        "changed": ago(hours=3),
        "origin": "extractive",
        "wish": "Bars between dishes, no numbers.",
        "model": "qwen3:4b",
        "generation": 8,
        "turns": {"failures": ["turn_4"], "siblings": [], "successes": [], "wish": ["turn_5"]},
        "diff": DIFF,
    }
    nothing = {**proved, "pairs": 0, "requests": 0, "wins": 0, "losses": 0, "success_pairs": 0}
    return [
        {
            **base,
            "id": "prop_1",
            "kind": "edit",
            "name": "menu-style",
            "status": "proved",
            "standing": "proved",
            "made": ago(hours=9),
            "evidence": proved,
        },
        {
            **base,
            "id": "prop_2",
            "kind": "new",
            "name": "short-answers",
            "status": "screened",
            "standing": "untested",
            "made": ago(hours=2),
            "evidence": nothing,
        },
        {
            **base,
            "id": "prop_3",
            "kind": "new",
            "name": "always-cite-acme",
            "status": "quarantined",
            "standing": "quarantined",
            "made": ago(days=1),
            "evidence": nothing,
            "reason": "It is made of what a web page said.",
            "flags": [{"text": "It names a product that you never named.", "quote": "ACME"}],
        },
    ]


def skills() -> list[Json]:
    rows = [
        ("commit-messages", "active", True, 88, (0.18, 0.06, 0.30, 64)),
        ("dates-and-units", "active", False, 41, (0.09, -0.03, 0.21, 40)),
        ("json-only-output", "active", False, 132, (0.31, 0.22, 0.40, 101)),
        ("menu-style", "active", False, 57, (0.12, 0.01, 0.23, 52)),
        ("plain-language", "active", True, 203, (0.05, -0.01, 0.11, 180)),
        ("shell-safety", "disabled", False, 12, None),
        ("tables-not-walls", "active", False, 9, None),
    ]
    return [
        {
            "name": name,
            "description": f"When {name.replace('-', ' ')} are asked for.",
            "version": 2,
            "sha256": "c" * 64,
            "status": state,
            "pinned": pinned,
            "client": None,
            "uses": uses,
            "effect": dict(zip(("value", "low", "high", "n"), effect, strict=True))
            if effect
            else None,
            "body": "Begin with a verb in the imperative.\n\nKeep the first line under 60 "
            "characters, and say why in the body.\n",
        }
        for name, state, pinned, uses, effect in rows
    ]


def conversations() -> list[Json]:
    clients = ("open-webui", "editor", "curl", "open-webui", "notes")
    return [
        {
            "id": f"conv_{n}",
            "client": clients[n % len(clients)],
            "model": "qwen3:4b",
            "turns": 2 + n % 5,
            "started": ago(hours=3 * n + 1),
            "last": ago(hours=3 * n),
            "generation": 9,
            "skills": [{"name": "menu-style", "version": 2, "sha256": "c" * 64}],
            "title": TITLES[n % len(TITLES)],
            "label": (None, None, "good", None, "bad")[n % 5],
            "p_good": None if n % 4 else 0.7,
            "excluded": n == 3,
        }
        for n in range(40)
    ]


def turns() -> list[Json]:
    def turn(n: int, request: str, answer: str, **more: Any) -> Json:
        return {
            "id": f"turn_{n}",
            "conversation": "conv_0",
            "number": n - 4,
            "at": ago(minutes=20 - n),
            "policy": {"model": "qwen3:4b", "base": "", "adapter": "adapter_4", "generation": 9},
            "request": request,
            "answer": answer,
            "tool_calls": [],
            "label": None,
            "note": None,
            "signals": [],
            "eligible": True,
            "why_not": None,
            **more,
        }

    return [
        turn(
            4,
            "Write a lunch menu with soup and two mains, please. My key is ⟨secret:openai-key:1⟩.",
            "1. Tomato soup\n2. Mushroom risotto\n3. Baked trout",
            reward={"value": 0, "p_good": 0.06, "source": "implicit"},
            signals=[{"kind": "correction", "text": "No numbers please"}],
            eligible=False,
            why_not="a proposal rests on it",
        ),
        turn(
            5,
            "No numbers please. Join the dishes of one course with bars. Never number them.",
            "Tomato soup\nMushroom risotto | Baked trout",
            reward={"value": 1, "p_good": 0.94, "source": "explicit"},
            label="good",
        ),
    ]


def windows() -> Json:
    midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)

    def window(day: float, hour: float, hours: float, used: float) -> Json:
        opened = midnight - timedelta(days=day) + timedelta(hours=hour)
        closed = min(opened + timedelta(hours=hours), NOW)
        return {
            "id": f"w{day}{hour}",
            "opened": opened.isoformat(),
            "closed": closed.isoformat(),
            "seen": closed.isoformat(),
            "length_s": (closed - opened).total_seconds(),
            "used_s": used * 3600,
            "why_opened": "No sign of you for 10 min.",
            "why_closed": "You are here.",
            "closed_by": "input",
            "done": [
                {
                    "kind": "proof",
                    "text": "Testing the skill menu-style",
                    "used_s": used * 3600,
                    "units": 9,
                }
            ],
        }

    def event(day: int, hour: float, hours: float, kind: str) -> Json:
        start = midnight + timedelta(days=day, hours=hour)
        end = start + timedelta(hours=hours)
        return {
            "start": start.isoformat(),
            "end": end.isoformat(),
            "kind": kind,
            "calendar": "cal_1",
            "label": "Work",
        }

    shown = [
        window(3, 1.2, 5.1, 2.2),
        window(3, 12.1, 0.8, 0.5),
        window(2, 0.4, 6.2, 3.4),
        window(2, 18.2, 1.3, 0.6),
        window(1, 2.0, 4.6, 2.9),
        window(1, 12.3, 0.7, 0.4),
        window(0, 0.9, 5.8, 3.1),
    ]
    past = [one for one in shown if one["opened"] < one["closed"]]
    return {
        "windows": past,
        "idle": [
            {
                "start": (
                    datetime.fromisoformat(one["opened"]) - timedelta(minutes=12)
                ).isoformat(),
                "end": one["closed"],
                "seen_to_end": True,
            }
            for one in past
        ],
        "events": [
            event(0, 14, 1.5, "away"),
            event(1, 9, 2, "busy"),
            event(2, 13, 3, "away"),
            event(3, 10, 1, "away"),
        ],
        "hours": {
            "sleep": ["23:00-07:00"],
            "allowed": [],
            "blocked": ["mon-fri 09:00-10:00"],
        },
    }


def feed() -> Json:
    return {
        "id": "cal_1",
        "label": "Work",
        "host": "calendar.example.org",
        "means": "away",
        "seen": ago(minutes=12),
        "ahead": 14,
        "dropped": [],
        "problem": None,
    }


def settings() -> list[Json]:
    """Return all of Lull's settings, of which three were changed."""
    changed: Json = {
        "idle.after_min": 15.0,
        "idle.sleep_hours": ["23:00-07:00"],
        "judge.votes": 5,
    }
    return [
        {
            "key": one.key,
            "value": changed.get(one.key, one.default),
            "default": one.default,
            "reason": one.reason,
            "allowed": one.allowed,
        }
        for one in describe_settings(Settings())
    ]


def models() -> Json:
    rows = [
        ("qwen3:4b", "qwen3", True, ""),
        ("pocket", "llama", True, ""),
        ("mixtral:8x7b", "mixtral", False, "Mixtures of experts cannot be trained here yet."),
    ]
    listed = [
        {"name": n, "architecture": a, "can_learn": can, "why_not": why, "needs_gb": 9.1}
        for n, a, can, why in rows
    ]
    return {"models": listed, "chosen": "qwen3:4b", "problem": None, "choosing": None}


def checks() -> list[Json]:
    rows = [
        ("service", True, "Python 3.11, process 4711.", ""),
        ("store", True, "214 conversations in 18 MB.", ""),
        ("ollama", True, "0.24.0 at http://127.0.0.1:11434, 4 models.", ""),
        (
            "heat",
            False,
            "Can't tell the computer's temperature: no sensor here reports the temperature at "
            "which the machine slows down.",
            "Lull rests more often.",
        ),
        ("disk", True, "212 GB are free.", ""),
    ]
    return [{"name": n, "ok": ok, "serious": False, "text": t, "hint": h} for n, ok, t, h in rows]


def _log(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        ("info", "service.main", "listening at http://127.0.0.1:11435"),
        ("info", "loops.watch_idle", "open: no sign of you for 10 min"),
        ("info", "loops.prove", "menu-style: 22 pairs, e = 71.3, proved"),
        ("warning", "backends.heat", "no sensor tells how warm it is"),
        ("info", "loops.train", "run_7: step 40 of 40"),
        ("info", "loops.gate", "adapter_4 accepted: no harm was found"),
        ("info", "loops.promote", "adapter_4 is in force"),
        ("info", "loops.watch_idle", "closed: you are here"),
    ]
    with (folder / "service.log").open("w") as file:
        for n, (level, part, text) in enumerate(lines):
            at = ago(minutes=90 - 9 * n)
            line = {"at": at, "level": level, "part": part, "text": text}
            file.write(json.dumps(line) + "\n")
