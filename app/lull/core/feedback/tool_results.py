"""Decides from the output of a tool that a model called whether the call succeeded or failed, or
that neither is certain.

Understands exit codes where a tool reports one, the summary line of a test runner, and an error at
the end. The contents of a file that a tool merely shows may look like any of these and say nothing
about the call; nor does a search without hits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lull.core.chat.messages import ToolCall

READ_CHARACTERS = 200_000
EDGE_LINES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """Whether a tool that a model called succeeded, as far as its output tells."""

    ok: bool
    tested: bool
    """Whether a test runner reported the outcome, not only an exit code."""
    text: str
    """The line that reports the tool's outcome, or what it means in words."""


_READS = re.compile(
    r"(?:^|[_\-./ ]|(?<=[a-z])(?=[A-Z]))(?:read|view|cat|open|search|grep|glob|list|ls|find|fetch"
    r"|browse|get|show|query|lookup|retrieve|web|http|recall)(?=$|[_\-./ A-Z])",
    re.IGNORECASE,
)
_LOOKS = (
    "ls cat head tail stat find which whereis type file du df tree less more wc locate nl sed awk"
    " printenv echo pwd date ps whoami uname id hostname curl wget readlink realpath strings"
    " command"
)
_SEARCHES = "grep egrep fgrep rg ag ack zgrep diff cmp comm jq sort uniq cut tr xargs"
_ASKS = (
    "test [ [[ pgrep pidof expr git hash kill pkill killall systemctl dpkg rpm brew mountpoint nc"
    " ping host dig nslookup"
)
_PREFIXES = "sudo time timeout env then do if ! ( nohup exec"
_LOOKING = frozenset(_LOOKS.split())
"""Programs that only look something up; finding nothing is no failure."""
_SEARCHING = frozenset(_SEARCHES.split())
_ASKING = _SEARCHING | frozenset(_ASKS.split())
"""Programs whose exit code 1 is an answer ("not found", "files differ") and not a failure."""
_BEFORE_PROGRAM = frozenset(_PREFIXES.split())
_CODE_KEYS = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "exit_status", "rc")
_EXIT = re.compile(
    r"(?:\bexit(?:ed|s)?(?: with)?(?: an?)?(?: non-?zero)?[ _-]*(?:code|status|value)?"
    r"|\breturn[ _-]?code|\brc|<returncode|<exit_?-?code)\s*(?:of|was|is)?\s*[\"']?\s*[:=> (]\s*"
    r"(-?\d{1,10})\b",
    re.IGNORECASE,
)
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TRACEBACK_END = re.compile(r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Exit|Failure|Warning))(?::|$)")
_COMPILER = re.compile(
    r"^(?:\S+[:(]\d+(?:[:,]\d+)?\)?:? (?:fatal )?error\b|error(?:\[E\d+\])?: |\S*error TS\d+: "
    r"|BUILD FAILED|FAILED: |make(?:\[\d+\])?: \*\*\*|npm ERR! code|SyntaxError: |ld: )",
    re.MULTILINE,
)
_TOOL_SAYS_ERROR = re.compile(r"^\s*<(?:tool_use_)?error>")
_COUNTS = re.compile(
    r"(\d+) (?:tests? )?(failed|failures?|failing|errors?|passed|passing)\b", re.IGNORECASE
)
_FAILED_WORDS = ("fail", "error")
_SUMMARIES = (
    # pytest; "= 3 failed, 2 passed in 0.12s ="
    re.compile(
        r"^=*\s*(?:\d+ (?:failed|passed|errors?|skipped|xfailed|xpassed|deselected|warnings?"
        r"|rerun),? ?)+in [\d.:]+"
    ),
    # jest, vitest: "Tests: 1 failed, 5 passed, 6 total"; mocha: "5 passing (20ms)"
    re.compile(r"^\s*Tests:?\s+(?:\d+ \w+[,|\s(]*)+"),
    re.compile(r"^\s*\d+ (?:passing|failing)\b"),
    # cargo, rspec, dotnet, ctest, gradle, node --test
    re.compile(r"^test result: (?:ok|FAILED)\. "),
    re.compile(r"^\d+ examples?, \d+ failures?"),
    re.compile(r"^\d+% tests passed, \d+ tests failed"),
    re.compile(r"^\d+ tests? completed, \d+ failed"),
)
_PLAIN_PASS = re.compile(
    r"^(?:OK(?: \(.*\))?|ok\s+\S+\s+(?:[\d.]+s|\(cached\))|PASS|Passed!\s+-.*|# pass [1-9]\d*)$"
)
_PLAIN_FAIL = re.compile(
    r"^(?:FAILED \((?:failures|errors|unexpected).*\)|--- FAIL: .*|FAIL\s+\S+.*|FAIL|FAILURES!"
    r"|Failed!\s+-.*|# fail [1-9]\d*|not ok \d+.*)$"
)
_UNITTEST_RAN = re.compile(r"^(?:Ran \d+ tests? in |OK \(\d+ tests?)", re.MULTILINE)


def outcome(call: ToolCall, result: str) -> ToolOutcome | None:
    """Return whether a model's tool call succeeded or failed, judged from the call and its result;
    None if the result does not show it.
    """
    text = _ANSI.sub("", result[-READ_CHARACTERS:]).replace("\r\n", "\n")
    if _TOOL_SAYS_ERROR.match(text) or _flagged(text):
        return ToolOutcome(ok=False, tested=False, text="The tool reports an error.")
    if _READS.search(call.name):
        return None
    programs = set(_programs(call))
    code = exit_code(text)
    if programs and programs <= _LOOKING | _SEARCHING:
        return None
    if tested := test_summary(_body(text)):
        return tested
    if code is not None:
        answers = code == 1 and programs & (_ASKING | _LOOKING)
        if answers or (code == 0 and programs & _LOOKING):
            return None
        said = "It ended well." if code == 0 else f"It ended with exit code {code}."
        return ToolOutcome(ok=code == 0, tested=False, text=said)
    return _error_at_end(_body(text))


def exit_code(text: str) -> int | None:
    """Return the exit code that a tool wrote in the first or last lines of its result."""
    fields = _json_object(text)
    if fields is not None:
        inner = fields.get("metadata")
        for where in (fields, inner if isinstance(inner, dict) else {}):
            for key in _CODE_KEYS:
                value = where.get(key)
                if isinstance(value, int) and not isinstance(value, bool):
                    return value
        return None
    lines = [line for line in text.splitlines() if line.strip()]
    edges = lines if len(lines) <= 2 * EDGE_LINES else lines[:EDGE_LINES] + lines[-EDGE_LINES:]
    codes = [found for line in edges if len(line) < 300 for found in _EXIT.findall(line)]
    return int(codes[-1]) if codes else None


def test_summary(text: str) -> ToolOutcome | None:
    """Return the outcome in a test runner's summary in a tool's output; None if there is none."""
    lines = [line.strip() for line in text.splitlines()[-400:]]
    passed, failed, said = 0, 0, ""
    for line in lines:
        if any(summary.match(line) for summary in _SUMMARIES):
            for count, word in _COUNTS.findall(line):
                if word.lower().startswith(_FAILED_WORDS):
                    failed += int(count)
                else:
                    passed += int(count)
            passed += line.startswith(("test result: ok", "100% tests passed"))
            passed += bool(re.match(r"[1-9]\d* examples?, 0 failures?", line))
            said = line
        elif _PLAIN_FAIL.match(line):
            failed, said = failed + 1, line
        elif _PLAIN_PASS.match(line) and (not line.startswith("OK") or _UNITTEST_RAN.search(text)):
            passed, said = passed + 1, said or line
    if not passed and not failed:
        return None
    return ToolOutcome(ok=not failed, tested=True, text=said.strip("= ")[:200])


def _error_at_end(text: str) -> ToolOutcome | None:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    traced = "Traceback (most recent call last)" in text
    last = next((line for line in reversed(lines[-6:]) if _TRACEBACK_END.match(line)), "")
    if traced and last:
        return ToolOutcome(ok=False, tested=False, text=last[:200])
    if found := _COMPILER.search(text):
        line = text[found.start() :].split("\n", 1)[0]
        return ToolOutcome(ok=False, tested=False, text=line[:200])
    return None


def _json_object(text: str) -> dict[str, object] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _flagged(text: str) -> bool:
    fields = _json_object(text)
    return fields is not None and (fields.get("is_error") is True or fields.get("isError") is True)


def _body(text: str) -> str:
    """Return the program's output, unwrapped if the tool puts it in JSON."""
    fields = _json_object(text)
    if fields is None:
        return text
    spoken = (
        fields.get(key) for key in ("output", "stdout", "stderr", "content", "text", "result")
    )
    return "\n".join(part for part in spoken if isinstance(part, str))


def _programs(call: ToolCall) -> Iterator[str]:
    """Return the programs that a shell command runs; none if the call is no shell command."""
    for part in re.split(r"&&|\|\||[;|\n]", _shell_command(call)[:4000]):
        words = [word for word in part.split() if "=" not in word.split("/")[0]]
        while words and words[0] in _BEFORE_PROGRAM:
            words = words[2:] if words[0] == "timeout" else words[1:]
        if words and words[0] not in ("cd", "set", "export", "fi", "done", "source", "."):
            yield words[0].rsplit("/", 1)[-1].lstrip("(")


def _shell_command(call: ToolCall) -> str:
    """Return the command that a tool call has a shell run; "" if it is no such call."""
    try:
        fields = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(fields, dict):
        return ""
    command = next((fields[key] for key in ("command", "cmd", "script") if key in fields), "")
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        # ["bash", "-c", "ls"]: the command is the shell's last word.
        return words[-1] if words and words[0].endswith("sh") else " ".join(words)
    return command if isinstance(command, str) else ""
