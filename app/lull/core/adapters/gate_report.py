"""The gate's verdict on an adapter (whether it may answer users), in words for people and as JSON
for storage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """The result of one of the checks that an adapter must pass before it answers users."""

    name: str
    """Name of the check, for example `canaries:arithmetic`, `target`, `kl:replay`, `length`,
    `secrets`.
    """
    holds: bool
    text: str
    """The check's result in plain words, with its numbers."""
    value: float | None = None
    limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gate's decision on a candidate adapter, with the results of its checks."""

    accepted: bool
    at: datetime
    against: str | None
    """Id of the adapter that the candidate was compared with; None: the base model."""
    checks: tuple[GateCheck, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for which the adapter was rejected, in words; if it was accepted, the results
        of all checks.
        """
        return tuple(check.text for check in self.checks if self.accepted or not check.holds)


def verdict_json(verdict: Verdict) -> dict[str, object]:
    """Convert the gate's verdict on an adapter to the JSON in which it is stored."""
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
    """Parse the JSON of an adapter's verdict that `verdict_json` wrote. Raises KeyError, TypeError
    or ValueError for anything else.
    """
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


def _check(fields: Mapping[str, object]) -> GateCheck:
    return GateCheck(
        name=str(fields["name"]),
        holds=bool(fields["holds"]),
        text=str(fields["text"]),
        value=_number(fields["value"]),
        limit=_number(fields["limit"]),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
