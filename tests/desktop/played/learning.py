"""The learning of a played week: runs, adapters, rewards of answers, changes of skills."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from lull.contract.json_object import Json

NOW = datetime.now(UTC).astimezone()


def ago(**more: float) -> str:
    return (NOW - timedelta(**more)).isoformat()


def runs() -> list[Json]:
    before = (0.42, 0.45, 0.47, 0.52, 0.51, 0.57, 0.60)
    after = (0.45, 0.48, 0.53, 0.50, 0.58, 0.61, 0.66)
    statuses = ("promoted", "promoted", "promoted", "rejected", "promoted", "promoted", "promoted")
    made = [
        {
            "id": f"run_{n + 1}",
            "kind": "grpo" if n % 3 else "graduation",
            "status": statuses[n],
            "why": "8 telling requests",
            "made": ago(days=6.6 - n),
            "steps": 40,
            "of": 40,
            "reward_before": before[n],
            "reward_after": after[n],
            "kl": 0.011 + n / 500,
            "tokens": 121_000 + 9_000 * n,
            "took_s": 840.0 + 60 * n,
            "left_s": 0.0,
            "turns": 31 + n,
            "verdict": "rejected" if statuses[n] == "rejected" else "accepted",
            "reasons": ["past successes fell from 97% to 91%"]
            if statuses[n] == "rejected"
            else ["no harm was found"],
        }
        for n in range(7)
    ]
    return made[::-1]


def adapters() -> Json:
    statuses = ("active", "retired", "rejected", "retired")
    return {
        "model": "qwen3:4b",
        "active": "adapter_4",
        "adapters": [
            {
                "id": f"adapter_{4 - n}",
                "parent": None,
                "base": "qwen3:4b",
                "sha256": "d" * 64,
                "status": one,
                "made": ago(days=0.5 + 1.5 * n),
                "accepted": one != "rejected",
                "reasons": [],
            }
            for n, one in enumerate(statuses)
        ],
    }


def learned() -> Json:
    """Return four weeks in which answers get better, with skills sooner and with adapters more."""
    chance, days, points = Random(7), [], []
    for day in range(27, -1, -1):
        at, better = NOW - timedelta(days=day), (27 - day) / 27
        parts: dict[str, list[float]] = {"ss": [], "s": [], "a": []}
        for n in range(5 + chance.randrange(9)):
            skills, adapter = n % 3 > 0 and day < 23, n % 2 > 0 and day < 7
            mean = 0.42 + 0.22 * better * skills + 0.14 * adapter + 0.03 * better
            good = min(0.98, max(0.03, chance.gauss(mean, 0.2)))
            parts["ss" if skills else "s"].append(good)
            parts["a"] += [good] * adapter
            when = (at - timedelta(hours=9 - n * 0.6)).isoformat()
            points.append({"at": when, "reward": round(good, 3), "n": 1})
        everything = parts["ss"] + parts["s"]
        rest = [one for one in everything if one not in parts["a"]]
        days.append(
            {
                "day": at.date().isoformat(),
                "n": len(everything),
                "reward": _mean(everything),
                "with_skills": {"reward": _mean(parts["ss"]), "n": len(parts["ss"])},
                "without_skills": {"reward": _mean(parts["s"]), "n": len(parts["s"])},
                "with_adapter": {"reward": _mean(parts["a"]), "n": len(parts["a"])},
                "without_adapter": {"reward": _mean(rest), "n": len(rest)},
            }
        )
    scores = ((0.46, 0.52), (0.52, 0.50), (0.52, 0.61), (0.61, 0.68))
    changes = (
        "import",
        "approve",
        "edit",
        "approve",
        "approve",
        "pin",
        "retire",
        "approve",
        "edit",
    )
    return {
        "points": points,
        "days": days,
        "baseline": {"reward": 0.43, "n": 96},
        "held_out": [
            {"adapter": f"adapter_{n + 1}", "at": ago(days=5.2 - 1.5 * n), "before": before,
             "after": after, "pairs": 40}
            for n, (before, after) in enumerate(scores)
        ],
        "generations": [
            {"generation": n + 1, "at": ago(days=23 - 2.6 * n), "change": change,
             "detail": f"{change} {('12 from starter', 'menu-style')[n > 0]}"}
            for n, change in enumerate(changes)
        ],
        "moves": [
            {"at": ago(days=day), "model": "qwen3:4b", "move": "promote",
             "active": f"adapter_{number}", "shadow": None, "why": "The gate let it pass."}
            for number, day in ((1, 5.0), (3, 2.0), (4, 0.5))
        ],
    }  # fmt: skip


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def history() -> list[Json]:
    """Return the history of one skill and of the library: the same answer serves both."""
    changes = [(one["change"], one["detail"], one["at"]) for one in learned()["generations"]]
    return [
        {
            "generation": n,
            "at": at,
            "change": change,
            "detail": detail,
            "version": 1 + n // 5,
            "sha256": f"{n}" * 64,
            "status": "active",
            "pinned": False,
        }
        for n, (change, detail, at) in reversed(list(enumerate(changes, 1)))
    ]
