"""The benchmark's file checks; each returns descriptions of what is wrong.

An empty list is a pass. Files are read inside the workspace alone; one that cannot be read is
wrong, never an error. Nothing is ever run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.metaclaw_bench.checks.inline import inside, read
from bench.private_rules.checks import values_at

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+08:00")
BASE_NAME = re.compile(r"\d{8}_[a-z][a-z0-9_]*\.[a-z0-9]+")
STATUSES = frozenset({"pending", "in_progress", "done"})
LONGEST_SUMMARY = 80
_DONE = re.compile(r"\[DONE\] (?P<at>\S+) \| (?P<task>[^|]+?) \| (?P<summary>.+)")


class Usage(ValueError):
    """Raised for arguments that a check script would reject; the check then fails, as in a
    shell.
    """


def run(script: str, words: Sequence[str], workspace: Path) -> list[str]:
    """Run the named check and return descriptions of what it finds wrong."""
    try:
        return list(SCRIPTS[script](list(words), workspace))
    except (ValueError, OSError, RecursionError) as error:
        return [f"{script}: {error}"]


def _iso8601(words: list[str], workspace: Path) -> Iterator[str]:
    if len(words) < 2:
        raise Usage("a file and its fields are wanted")
    document = json.loads(read(workspace, words[0]))
    for path in words[1:]:
        for value in values_at(document, path):
            if not isinstance(value, str) or not MOMENT.fullmatch(value):
                yield f"{path} in {words[0]} is {value!r}"


def _filename(words: list[str], workspace: Path) -> Iterator[str]:
    options, rest = _options(words, ("--dir", "--ext", "--min-count"))
    if "--dir" not in options:
        if not rest:
            raise Usage("a path is wanted")
        file = inside(workspace, rest[0])
        if not file.is_file():
            yield f"there is no {rest[0]}"
        if not BASE_NAME.fullmatch(file.name):
            yield f"the name {file.name} has another form"
        return
    folder, ending = inside(workspace, options["--dir"]), options.get("--ext", "").lstrip(".")
    least = int(options.get("--min-count", "1"))
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    fit = [n for n in names if BASE_NAME.fullmatch(n) and n.endswith(f".{ending}")]
    if len(fit) < least:
        yield f"{len(fit)} of {least} files in {options['--dir']} are named as they should be"


def _metadata(words: list[str], workspace: Path) -> Iterator[str]:
    options, rest = _options(words, ("--type",))
    if not rest:
        raise Usage("a file is wanted")
    text = read(workspace, rest[0])
    kind = options.get("--type") or rest[0].rpartition(".")[2].lower()
    if kind not in _META:
        raise Usage(f"no metadata is known for {kind}")
    meta = _META[kind](text)
    if meta is None:
        yield f"{rest[0]} has no metadata"
        return
    at, author, status = (meta.get(key) for key in ("created_at", "author", "status"))
    if not isinstance(at, str) or not MOMENT.fullmatch(at):
        yield f"created_at in {rest[0]} is {at!r}"
    if not isinstance(author, str) or not author.strip():
        yield f"{rest[0]} has no author"
    if status not in STATUSES:
        yield f"the status in {rest[0]} is {status!r}"


def _backup(words: list[str], workspace: Path) -> Iterator[str]:
    if len(words) != 1:
        raise Usage("one file is wanted")
    file, copy = inside(workspace, words[0]), inside(workspace, words[0] + ".bak")
    for one in (file, copy):
        if not one.is_file():
            yield f"there is no {one.name}"
            return
    if file.read_bytes() == copy.read_bytes():
        yield f"{file.name} and its copy are the same"


def _done_log(words: list[str], workspace: Path) -> Iterator[str]:
    options, rest = _options(words, ("--task-prefix", "--min-entries"))
    if not rest:
        raise Usage("a log is wanted")
    lines = [line for line in read(workspace, rest[0]).splitlines() if line.strip()]
    least = int(options.get("--min-entries", "1"))
    found = [_DONE.fullmatch(line.strip()) for line in lines]
    for line, entry in zip(lines, found, strict=True):
        if entry is None or not MOMENT.fullmatch(entry["at"]):
            yield f"{rest[0]} has the line {line!r}"
        elif len(entry["summary"]) > LONGEST_SUMMARY:
            yield f"a summary in {rest[0]} has {len(entry['summary'])} characters"
    if len(lines) < least:
        yield f"{rest[0]} holds {len(lines)} lines of {least}"
    prefix, last = options.get("--task-prefix", ""), found[-1] if found else None
    if prefix and (last is None or not last["task"].startswith(prefix)):
        yield f"the last line of {rest[0]} is about another task than {prefix}"


def _options(words: list[str], known: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    rest: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word in known:
            if not left:
                raise Usage(f"{word} wants a value")
            options[word] = left.pop(0)
        elif word.startswith("--"):
            raise Usage(f"{word} is not known")
        else:
            rest.append(word)
    return options, rest


# -- metadata in four kinds of file ------------------------------------------------------------


def _json_meta(text: str) -> dict[str, object] | None:
    document = json.loads(text)
    meta = document.get("meta") if isinstance(document, dict) else None
    return meta if isinstance(meta, dict) else None


def _front_matter(text: str) -> dict[str, object] | None:
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return None
    block: list[str] = []
    for line in lines[1:]:
        if line.strip() == "---":
            return _pairs(block, ":")
        block.append(line)
    return None


def _docstring_meta(text: str) -> dict[str, object] | None:
    for block in re.findall(r'"""(.*?)"""', text, re.DOTALL):
        if "Meta:" not in block:
            continue
        lines: list[str] = []
        for line in block.partition("Meta:")[2].splitlines()[1:]:
            if not line.strip():
                break
            lines.append(line)
        return _pairs(lines, ":")
    return None


def _csv_meta(text: str) -> dict[str, object] | None:
    first = text.partition("\n")[0].strip()
    if not first.startswith("# meta:"):
        return None
    return _pairs(re.split(r"[,;\s]+", first.removeprefix("# meta:").strip()), "=")


def _pairs(lines: Sequence[str], sign: str) -> dict[str, object]:
    """Parse "key sign value" lines into a dictionary; quotes stay, so a quoted timestamp does not
    count as one.
    """
    pairs: dict[str, object] = {}
    for line in lines:
        key, found, value = line.partition(sign)
        if found:
            pairs[key.strip()] = value.strip()
    return pairs


_META: dict[str, Callable[[str], dict[str, object] | None]] = {
    "json": _json_meta,
    "md": _front_matter,
    "txt": _front_matter,
    "py": _docstring_meta,
    "csv": _csv_meta,
}
SCRIPTS: dict[str, Callable[[list[str], Path], Iterator[str]]] = {
    "check_iso8601": _iso8601,
    "check_filename": _filename,
    "check_metadata": _metadata,
    "check_backup": _backup,
    "check_done_log": _done_log,
}
