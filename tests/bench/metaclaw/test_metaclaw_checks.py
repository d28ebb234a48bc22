"""Tests of the public benchmark's checks of files: what they find; none of their strings is run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.metaclaw_bench.checks import checkers
from bench.metaclaw_bench.checks.commands import NotACheck, read_command
from bench.metaclaw_bench.checks.inline import parse
from bench.metaclaw_bench.checks.limited import limited
from bench.metaclaw_bench.data import read
from bench.metaclaw_bench.workspace import MOST_READ, MOST_WRITTEN, Workspace, copied
from tests.paths import HANDOUT, ROOT

HANDED = HANDOUT / "data" / "metaclaw-bench"
GOOD = "2026-03-16T09:30:00+08:00"
META = f"created_at: {GOOD}\nauthor: Bai\nstatus: done\n"
LINE = f"[DONE] {GOOD} | move_out | Moved the boxes\n"


def says(tmp_path: Path, files: dict[str, str], command: str) -> list[str]:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return [text for one in read_command(command) for text in one.failures(tmp_path)]


PASSES: list[tuple[str, dict[str, str], str]] = [
    ("a full moment", {"a.json": json.dumps({"at": GOOD})}, "check_iso8601 a.json at"),
    (
        "moments with parts of a second, in a list",
        {"a.json": json.dumps({"x": [{"at": "2026-03-16T09:30:00.125+08:00"}]})},
        "check_iso8601 a.json x[].at",
    ),
    ("an empty list", {"a.json": '{"x": []}'}, "check_iso8601 a.json x[].at"),
    ("a dated name", {"d/20260316_b2_x.md": ""}, "check_filename d/20260316_b2_x.md"),
    (
        "two dated names of one kind",
        {"d/20260316_a.md": "", "d/20260317_b.md": "", "d/Other.md": ""},
        "check_filename --dir d/ --ext md --min-count 2",
    ),
    ("front matter", {"a.md": f"---\n{META}---\n# A"}, "check_metadata a.md"),
    ("front matter of a text", {"a.txt": f"---\n{META}---\n"}, "check_metadata a.txt"),
    (
        "a meta object",
        {"a.json": json.dumps({"meta": {"created_at": GOOD, "author": "B", "status": "pending"}})},
        "check_metadata a.json",
    ),
    (
        "a Meta part of a docstring",
        {"a.py": f'"""One.\n\nMeta:\n    {META.strip().replace(chr(10), chr(10) + "    ")}\n\n"""'},
        "check_metadata a.py",
    ),
    (
        "a first line of a table",
        {"a.csv": f"# meta: created_at={GOOD}, author=B, status=in_progress\nx,y\n"},
        "check_metadata a.csv",
    ),
    ("a kind that is named", {"a.log": f"---\n{META}---\n"}, "check_metadata a.log --type md"),
    ("a copy beside it", {"a.md": "new", "a.md.bak": "old"}, "check_backup a.md"),
    ("a log", {"l": f"\n{LINE}\n{LINE}"}, "check_done_log l --min-entries 2 --task-prefix move"),
]
FAILS: list[tuple[str, dict[str, str], str]] = [
    ("no file", {}, "check_iso8601 a.json at"),
    ("no JSON", {"a.json": "{"}, "check_iso8601 a.json at"),
    ("a missing field", {"a.json": "{}"}, "check_iso8601 a.json at"),
    ("another zone", {"a.json": '{"at": "2026-03-16T09:30:00Z"}'}, "check_iso8601 a.json at"),
    ("no seconds", {"a.json": '{"at": "2026-03-16T09:30+08:00"}'}, "check_iso8601 a.json at"),
    ("words behind it", {"a.json": json.dumps({"at": GOOD + " "})}, "check_iso8601 a.json at"),
    ("a number", {"a.json": '{"at": 1773622920000}'}, "check_iso8601 a.json at"),
    ("a list that is none", {"a.json": '{"x": {}}'}, "check_iso8601 a.json x[].at"),
    ("capitals", {"d/20260316_Notes.md": ""}, "check_filename --dir d --ext md"),
    ("a hyphen", {"d/20260316-notes.md": ""}, "check_filename --dir d --ext md"),
    ("another kind", {"d/20260316_notes.md": ""}, "check_filename --dir d --ext json"),
    ("too few", {"d/20260316_a.md": ""}, "check_filename --dir d --ext md --min-count 2"),
    ("no folder", {}, "check_filename --dir d --ext md"),
    ("a name without a file", {}, "check_filename d/20260316_a.md"),
    (
        "a quoted moment",
        {"a.md": f'---\ncreated_at: "{GOOD}"\nauthor: B\nstatus: done\n---'},
        "check_metadata a.md",
    ),
    ("an open block", {"a.md": f"---\n{META}"}, "check_metadata a.md"),
    ("no author", {"a.md": "---\n" + META.replace("Bai", "") + "---"}, "check_metadata a.md"),
    (
        "an unknown status",
        {"a.md": "---\n" + META.replace("done", "finished") + "---"},
        "check_metadata a.md",
    ),
    ("a block further down", {"a.md": f"# A\n---\n{META}---\n"}, "check_metadata a.md"),
    ("Meta behind an empty line", {"a.py": f'"""Meta:\n\n{META}"""'}, "check_metadata a.py"),
    ("the same bytes", {"a.md": "old", "a.md.bak": "old"}, "check_backup a.md"),
    ("a copy alone", {"a.md.bak": "old"}, "check_backup a.md"),
    ("a long summary", {"l": f"[DONE] {GOOD} | a | {'x' * 81}"}, "check_done_log l"),
    ("another line between", {"l": f"{LINE}see above\n{LINE}"}, "check_done_log l"),
    ("too few lines", {"l": LINE}, "check_done_log l --min-entries 2"),
    ("another task last", {"l": LINE}, "check_done_log l --task-prefix pack"),
    ("no log", {}, "check_done_log l"),
    ("an option without a value", {"l": LINE}, "check_done_log l --min-entries"),
    ("a file outside", {}, "check_backup ../../etc/passwd"),
]


def command_of(check: str) -> str:
    name, _, rest = check.partition(" ")
    return f"python scripts/{name}.py {rest}"


@pytest.mark.parametrize(("files", "check"), [p[1:] for p in PASSES], ids=[p[0] for p in PASSES])
def test_passes(files: dict[str, str], check: str, tmp_path: Path) -> None:
    assert says(tmp_path, files, command_of(check)) == []


@pytest.mark.parametrize(("files", "check"), [p[1:] for p in FAILS], ids=[p[0] for p in FAILS])
def test_fails_and_says_why(files: dict[str, str], check: str, tmp_path: Path) -> None:
    wrong = says(tmp_path, files, command_of(check))
    assert wrong
    assert all(wrong)


def test_every_script_passes_somewhere_and_fails_somewhere() -> None:
    for cases in (PASSES, FAILS):
        assert {check.partition(" ")[0] for _, _, check in cases} == set(checkers.SCRIPTS)


FIRST = "print(sorted(glob.glob('d/2026_*.md'))[0])"
INLINE = [
    ("import glob,sys; sys.exit(0 if glob.glob('d/2026_*.md') else 1)", True),
    ("import glob,sys; fs=glob.glob('d/*.md'); sys.exit(0 if len(fs)>=3 else 1)", False),
    (
        "import glob,sys; fs=[f for f in glob.glob('d/*') if 'plan' in f.lower() or 'x' in f];"
        " sys.exit(0 if fs else 1)",
        True,
    ),
    (
        "import json,sys; d=json.load(open('t.json')); t=next((x for x in d['tasks'] if"
        " x['id']=='T-2'),None); sys.exit(0 if t and t.get('due') else 1)",
        True,
    ),
    ("import json,sys; d=json.load(open('gone.json')); sys.exit(0)", False),
    ("import json,sys; d=json.load(open('../../etc/hostname')); sys.exit(0)", False),
    ("import sys; a=1; b=2; sys.exit(0 if a>=1 and b>=2 else 1)", True),
    (
        "import re,sys; p=re.compile('^t.*2$', re.M | re.I);"
        " s=open('n.txt', encoding='utf-8').read();"
        " sys.exit(0 if bool(p.findall(s)) and len(re.findall('[0-9]+', s))==2 else 1)",
        True,
    ),
    ("import re,sys; sys.exit(0 if bool(re.findall('x', open('n.txt').read())) else 1)", False),
    (
        "import glob,sys; fs=sorted(glob.glob('d/*'), reverse=True); sys.exit('plan' not in fs[0])",
        True,
    ),
]


@pytest.mark.parametrize(("source", "passes"), INLINE)
def test_one_line_checks_are_read_and_hold_or_not(
    source: str, passes: bool, tmp_path: Path
) -> None:
    files = {
        "d/2026_plan.md": "",
        "d/2026_b.md": "",
        "t.json": '{"tasks": [{"id": "T-2", "due": 1}]}',
        "n.txt": "one 1\nTwo 2\n",
    }
    assert (says(tmp_path, files, f'python -c "{source}"') == []) is passes


def test_a_file_that_is_picked_is_checked(tmp_path: Path) -> None:
    command = f'python scripts/check_metadata.py $(python -c "import glob; {FIRST}")'
    assert says(tmp_path, {}, command)  # nothing to pick
    assert says(tmp_path, {"d/2026_a.md": "# A"}, command)
    assert says(tmp_path, {"d/2026_a.md": f"---\n{META}---\n"}, command) == []


REFUSED = [
    "rm -rf /",
    "python scripts/check_backup.py a.md; touch ran",
    "python scripts/check_backup.py a.md || touch ran",
    "python scripts/check_backup.py a.md | tee ran",
    "python scripts/check_backup.py $(touch ran)",
    "python scripts/check_backup.py `touch ran`",
    "python scripts/other.py a.md",
    "python -c \"import os; os.system('touch ran')\"",
    'python -c "import subprocess"',
    "python -c \"__import__('os').system('touch ran')\"",
    "python -c \"open('ran','w').write('x')\"",
    "python -c \"exec('x')\"",
    'python -c "(lambda: 0)()"',
    'python -c "import sys; sys.argv"',
    "python -c \"import json; json.load(open('a.json'), object_hook=print)\"",
    "python -c \"import glob; sorted(glob.glob('*'), key=len)\"",
    'python -c "import sys; sys.exit(0)" extra',
    "sh -c true",
    "",
]


@pytest.mark.parametrize("command", REFUSED)
def test_what_is_no_check_is_refused_and_not_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotACheck):
        read_command(command)
    assert list(tmp_path.iterdir()) == []


def test_a_check_that_goes_on_and_on_fails(tmp_path: Path) -> None:
    (tmp_path / "n.json").write_text(json.dumps(list(range(2000))))
    endless = (
        "import json,sys; n=json.load(open('n.json')); sys.exit(len([a for a in n for b in n]))"
    )
    assert parse(endless).exit_code(tmp_path) == 1


@pytest.mark.full
def test_a_pattern_that_never_ends_fails_the_check_alone(tmp_path: Path) -> None:
    never = "import re,sys; sys.exit(0 if re.match('(a+)+$', 'a'*60+'b') is None else 1)"
    never = never.replace("'a'*60+'b'", repr("a" * 60 + "b"))
    assert limited(never, tmp_path, cpu_s=1) == (1, "")


def test_a_check_reads_a_copy(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(7)")  # what a model may leave there
    (tmp_path / "out").symlink_to("/etc")
    source = "import glob,os; print(sorted(glob.glob('*')), os.path.isfile('json.py'))"
    assert limited(source, tmp_path) == (0, "['json.py'] True")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["json.py", "out"]


@pytest.mark.parametrize(
    "deed",
    [
        "socket.socket()",
        "socket.getaddrinfo('localhost', 80)",
        "subprocess.run(['true'])",
        "os.system('true')",
        "open('made', 'w')",
        "os.mkdir('made')",
    ],
)
def test_the_child_can_reach_nothing_outside(deed: str, tmp_path: Path) -> None:
    code = (
        "import os, socket, subprocess, sys;"
        " from bench.metaclaw_bench.checks.inline_child import refuse;"
        f" sys.addaudithook(refuse); {deed}"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "is not for a check" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not HANDED.exists(), reason="needs the hand-out data")
def test_every_command_of_the_handed_days_is_understood() -> None:
    bench = read(HANDED)
    rounds = [(day.id, asked) for day in bench.days for asked in day.rounds]
    assert len(rounds) == 117
    assert sum(not asked.is_choice for _, asked in rounds) == 73
    infeasible = [(day, asked.id) for day, asked in rounds if asked.infeasible]
    assert {day for day, _ in infeasible} == {"day22"}
    assert len(infeasible) == 7
    assert all("never shipped" in asked.infeasible for _, asked in rounds if asked.infeasible)


# -- the jail ------------------------------------------------------------------------------------


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    data = tmp_path / "data" / "workspaces"
    (data / "day01" / "deep").mkdir(parents=True)
    (data / "day02").mkdir()
    (data / "USER.md").write_text("who")
    (data / "day01" / "deep" / "a.txt").write_text("one two one")
    (data / "day02" / "other.txt").write_text("another day's")
    (tmp_path / "secret").write_text("secret")
    (data / "day01" / "link").symlink_to(tmp_path / "secret")
    (data / "day01" / "out").symlink_to(tmp_path)
    (data / "LINK.md").symlink_to(tmp_path / "secret")
    return Workspace(home=copied(tmp_path / "data", "day01", tmp_path / "work"))


def test_a_workspace_holds_its_own_day_and_no_links(work: Workspace) -> None:
    assert work.call("list_dir", {}) == "USER.md\nday01/"
    assert work.call("list_dir", {"path": "day01"}) == "deep/"


WAYS_OUT = [
    "../secret", "day01/../../secret", "/etc/passwd", "~/x", "day01/link2", "day01/out2/secret",
    "a\0b", "..\\secret", "x" * 500, "", "day01",
]  # fmt: skip


@pytest.mark.parametrize("path", WAYS_OUT)
def test_no_path_leads_outside(path: str, work: Workspace, tmp_path: Path) -> None:
    (work.home / "day01" / "link2").symlink_to(tmp_path / "secret")
    (work.home / "day01" / "out2").symlink_to(tmp_path)
    for name, more in (
        ("read_file", {}),
        ("write_file", {"content": "gone"}),
        ("replace_in_file", {"old": "secret", "new": "gone"}),
    ):
        assert work.call(name, {"path": path, **more}).startswith("Error:")
    assert (tmp_path / "secret").read_text() == "secret"
    assert {one.name for one in tmp_path.iterdir()} == {"data", "secret", "work"}


def test_the_tools_do_what_they_say(work: Workspace) -> None:
    assert "3 characters" in work.call("write_file", {"path": "day01/new/b.md", "content": "abc"})
    assert work.call("read_file", {"path": "day01/new/b.md"}) == "abc"
    replaced = {"path": "day01/new/b.md", "old": "b", "new": "-"}
    assert work.call("replace_in_file", replaced).startswith("Replaced")
    assert work.call("read_file", {"path": "day01/new/b.md"}) == "a-c"
    twice = {"path": "day01/deep/a.txt", "old": "one", "new": "x"}
    assert "2 times" in work.call("replace_in_file", twice)
    assert work.call("read_file", {"path": "day01/gone"}).startswith("Error:")
    assert work.call("write_file", {"path": "a", "content": 5}).startswith("Error:")
    assert work.call("read_file", {"path": ["a"]}).startswith("Error:")


def test_nothing_huge_is_read_or_written(work: Workspace) -> None:
    (work.home / "big").write_text("x" * (MOST_READ + 10))
    assert "10 characters left out" in work.call("read_file", {"path": "big"})
    with (work.home / "huge").open("wb") as out:
        out.truncate(50 * MOST_WRITTEN)
    assert work.call("read_file", {"path": "huge"}).startswith("Error:")
    content = "x" * (MOST_WRITTEN + 1)
    assert work.call("write_file", {"path": "c", "content": content}).startswith("Error:")
    assert not (work.home / "c").exists()


def test_a_pipe_keeps_nobody_waiting(work: Workspace) -> None:
    os.mkfifo(work.home / "pipe")
    assert work.call("read_file", {"path": "pipe"}).startswith("Error:")
    assert work.call("write_file", {"path": "pipe", "content": "x"}).startswith("Error:")


def test_commands_are_off_unless_allowed(work: Workspace) -> None:
    assert work.call("run_command", {"command": "touch ran"}).startswith("Error: there is no tool")
    assert "run_command" not in json.dumps(work.schemas())
    allowed = Workspace(home=work.home, commands=True)
    assert allowed.call("run_command", {"command": "echo hello"}) == "exit code 0\nhello\n"
