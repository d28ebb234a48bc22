"""What the gate said of an adapter, in words for people and numbers for whoever checks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    """Such as `canaries:arithmetic`, `target`, `kl:replay`, `length`, `secrets`."""
    holds: bool
    text: str
    """In plain words, with the numbers."""
    value: float | None = None
    limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    accepted: bool
    at: datetime
    against: str | None
    """The adapter it was compared with, None for the base."""
    checks: tuple[Check, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it was rejected; for an accepted one, what it rests on."""
        return tuple(check.text for check in self.checks if self.accepted or not check.holds)


def verdict_json(verdict: Verdict) -> dict[str, object]:
    return {
        "accepted": verdict.accepted,
        "at": verdict.at.isoformat(),
        "against": verdict.against,
        "checks": [
            {
                "name": check.name,
                "holds": check.holds,
                "text": check.text,
                "value": check.value,
                "limit": check.limit,
            }
            for check in verdict.checks
        ],
    }


def verdict_from(fields: Mapping[str, object]) -> Verdict:
    """Raises KeyError, TypeError or ValueError for what `verdict_json` did not make."""
    checks = fields["checks"]
    if not isinstance(checks, list):
        raise TypeError("checks are a list")
    against = fields["against"]
    return Verdict(
        accepted=bool(fields["accepted"]),
        at=datetime.fromisoformat(str(fields["at"])),
        against=None if against is None else str(against),
        checks=tuple(_check(one) for one in checks),
    )


def _check(fields: Mapping[str, object]) -> Check:
    return Check(
        name=str(fields["name"]),
        holds=bool(fields["holds"]),
        text=str(fields["text"]),
        value=_number(fields["value"]),
        limit=_number(fields["limit"]),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
