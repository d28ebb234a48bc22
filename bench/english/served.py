"""Answers cases from outside through a real Lull service, its rules as pinned skills.

Each case is a conversation of its own in a home made for the run: its rules are added as a user's
would be, the request goes through the proxy, and the rules are deleted again.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.graduation.house import House, serving
from bench.json_object import Json
from bench.report import ROOT
from lull.contract import routes
from lull.core.errors import LullError, ResourceError
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.stated_skill import skill_of

NAME: Final = "lull-mini"
"""The name under which the service offers the built-in English model."""
SHIPPED: Final = ROOT / "resources" / "english"
MOST_TOKENS: Final = 400
PATIENCE_S: Final = 1_800.0
"""The first answer may have to wait until the weights are made."""
SETTINGS: Final = """\
[guard]
leave_out_share = 0
"""
"""In use some requests go without a skill to measure it; here every rule must be in the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideCase:
    rules: tuple[str, ...]
    """Rules for every request, each in a user's words."""
    system: str
    """The client's own system text; "" for none."""
    request: str


def read_cases(file: Path) -> list[OutsideCase]:
    """Read JSON lines of rules, system and request. Raises LullError for an invalid line."""
    found = []
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LullError(f"{file} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            rules, system, request = said["rules"], said.get("system", ""), said["request"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LullError(f"{file}:{number} is no line of rules, system and request.") from error
        texts = [*rules, system, request] if isinstance(rules, list) else [None]
        if not request or not all(isinstance(one, str) for one in texts):
            raise LullError(
                f"{file}:{number}: rules is a list of texts, system and request a text."
            )
        found.append(OutsideCase(rules=tuple(rules), system=system, request=request))
    return found


def shipped() -> Path:
    """Return the folder of the shipped adapter. Raises ResourceError while there is none."""
    if not (SHIPPED / "adapter_config.json").is_file():
        raise ResourceError(
            f"The built-in English model is not there yet: {SHIPPED} holds no adapter.",
            hint="python -m bench.english.make --work DIR trains one.",
        )
    return SHIPPED


def answered(cases: Sequence[OutsideCase], home: Path, *, model: str = NAME) -> Iterator[str]:
    """Start a service in an empty home and yield the answer to each case, in order.

    Raises LullError if the service does not offer the model or does not answer.
    """
    with serving(home, SETTINGS) as house:
        try:
            _asked(house, "POST", "/api/show", {"model": model})
        except LullError as error:
            raise LullError(f"The service does not offer {model}: {error.detail}") from error
        for number, case in enumerate(cases):
            names = _add(house, case, number)
            messages = [{"role": "system", "content": case.system}] if case.system else []
            messages.append({"role": "user", "content": case.request})
            body = {
                "model": model,
                "stream": False,
                "messages": messages,
                "options": {"temperature": 0, "num_predict": MOST_TOKENS},
            }
            answer = _asked(house, "POST", "/api/chat", body)
            for name in names:
                house.control.post(routes.SKILLS_CHANGE, {"do": "delete", "name": name})
            yield str(answer["message"]["content"])


def _add(house: House, case: OutsideCase, number: int) -> list[str]:
    """Add the rules of a case as pinned skills and return their names."""
    names = []
    for place, rule in enumerate(case.rules):
        made = skill_of(rule, scope=Scope.ALL, kind_of_rule=RuleKind.PREFERENCE, asked="")
        names.append(f"case-{number}-rule-{place}")
        wanted = {
            "do": "add",
            "name": names[-1],
            "description": made.description,
            "body": made.body,
            "pin": True,
        }
        house.control.post(routes.SKILLS_CHANGE, wanted)
    return names


def _asked(house: House, method: str, path: str, body: Json | None = None) -> Json:
    """Send one request to the proxy. Raises LullError if it is refused."""
    connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=PATIENCE_S)
    try:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "bench-english/1"}
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        if answer.status != 200:
            raise LullError(f"{path} was answered with {answer.status}: {text[:300]}")
        found: Json = json.loads(text)
        return found
    finally:
        connection.close()
