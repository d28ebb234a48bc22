"""`python -m bench wire`: what Lull adds to a request, beside direct and a bare aiohttp proxy.

Every figure that depends on the machine stands beside the floor of the same run.
"""

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.report import RESULTS, Goal, print_goals, report, write
from bench.wire import processes, prompts
from bench.wire.homes import asked, put_skills_in_force, write_exemplars
from bench.wire.load import Times, chat_request, drive
from bench.wire.parts import parts

Row = dict[str, Any]
SIZES = (0, 40, 1000, 10_000)
MEASURED_SKILLS = 1000
"""Size of the skill library that the goals are measured on."""
MOSTLY_CODE = (
    "118 MB are there before the first request: 91 once all is imported (1,260 modules, of which"
    " Lull's own take 38, NumPy 10 and aiohttp 8; 10 are the bare interpreter), the rest 1,000"
    " skills, as many past requests, and the words of 66 kinds of requests."
)
ONE_INTERPRETER = (
    "One interpreter does all of it on one core, beside the client and the upstream of this bench"
    " on the same two: HTTP on both sides, reading and recording, and for each new conversation a"
    " look through 1,000 skills and as many past requests (parts_us). Each client here begins a new"
    " conversation with every request, which no person does; one that goes on looks nothing up."
)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench wire", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer requests: a look, not a proof")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    args = parser.parse_args(argv)
    document = measure(quick=args.quick, seed=args.seed)
    path = write(document, args.out)
    print_table(document["rows"])
    print_parts(document)
    missed = print_goals(document)
    print(f"written to {path}")
    return 1 if missed and args.strict else 0


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    rows: list[Row] = []
    goals: list[Goal] = []
    where: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, processes.mock_upstream() as upstream:
        work = Path(folder)
        rows += _loads("direct", 0, upstream, quick=quick)
        with processes.floor(upstream) as (port, bare):
            rows += _loads("bare aiohttp", 0, port, quick=quick)
            rows[-1]["memory_mb"] = bare.memory_mb
        for size in SIZES:
            with _lull(work / str(size), size, upstream) as (port, service):
                _loads("warm-up", size, port, quick=True)
                rows += _loads("lull", size, port, quick=quick)
                rows[-1]["memory_mb"] = _memory_after(5000, port, service, quick=quick)
                if size == MEASURED_SKILLS:
                    goals += _prompt_goals(port, upstream, quick=quick, seed=seed)
                    goals.append(_streams_survive(port, upstream, service))
            if size == MEASURED_SKILLS:
                where = parts(work / str(size))
    document = report(
        "wire",
        rows=rows,
        goals=[*_speed_goals(rows), *goals],
        seeds=[seed],
        packages=("aiohttp", "chromadb", "bm25s", "numpy"),
        simulated=True,
    )
    return {**document, "parts_us": where}


@contextmanager
def _lull(home: Path, size: int, upstream: int) -> Iterator[tuple[int, processes.Started]]:
    if size:
        put_skills_in_force(home, size)
        write_exemplars(processes.paths_of(home).chroma, size)
    with processes.lull(home, upstream) as (port, service):
        time.sleep(3.0)  # the exemplar memory opens behind the first answers
        yield port, service


def _loads(what: str, skills: int, port: int, *, quick: bool) -> list[Row]:
    """Measure one and 32 connections, with whole and with streamed answers."""
    rows = []
    for stream in (False, True):
        for connections in (1, 32):
            count = (300 if connections == 1 else 1500) // (3 if quick else 1)
            ask = _asking(port, skills, stream=stream)
            rows.append(
                _row(what, skills, stream, connections, drive(port, count, connections, ask))
            )
    return rows


def _asking(port: int, skills: int, *, stream: bool) -> Callable[[int], bytes]:
    made = [chat_request(port, asked(n), stream=stream) for n in range(min(max(skills, 1), 500))]
    return lambda number: made[number % len(made)]


def _row(what: str, skills: int, stream: bool, connections: int, times: Times) -> Row:
    return {
        "what": what,
        "skills": skills,
        "streamed": stream,
        "connections": connections,
        "n": len(times.whole_s),
        "wrong": times.wrong,
        "whole_p50_ms": times.ms("whole", 0.5),
        "whole_p99_ms": times.ms("whole", 0.99),
        "first_p50_ms": times.ms("first", 0.5),
        "first_p99_ms": times.ms("first", 0.99),
        "requests_per_s": times.per_s,
    }


def _memory_after(count: int, port: int, service: processes.Started, *, quick: bool) -> float:
    drive(port, count // (5 if quick else 1), 8, _asking(port, MEASURED_SKILLS, stream=False))
    return service.memory_mb


def _speed_goals(rows: Sequence[Row]) -> list[Goal]:
    def row(what: str, skills: int, connections: int, *, stream: bool) -> Row:
        return next(
            r
            for r in rows
            if (r["what"], r["skills"], r["connections"], r["streamed"])
            == (what, skills, connections, stream)
        )

    own, bare = (
        row("lull", MEASURED_SKILLS, 1, stream=False),
        row("bare aiohttp", 0, 1, stream=False),
    )
    rate = row("lull", MEASURED_SKILLS, 32, stream=False)["requests_per_s"]
    memory = next(
        r["memory_mb"] for r in rows if r["skills"] == MEASURED_SKILLS and "memory_mb" in r
    )
    wrong = sum(r["wrong"] for r in rows)
    return [
        Goal(
            goal="ms over the floor, 1,000 skills, p50",
            value=own["whole_p50_ms"] - bare["whole_p50_ms"],
            limit=1.0,
        ),
        Goal(
            goal="ms over the floor, 1,000 skills, p99",
            value=own["whole_p99_ms"] - bare["whole_p99_ms"],
            limit=5.0,
        ),
        Goal(
            goal="requests/s at 32 connections, 1,000 skills",
            value=rate,
            limit=1000,
            at_most=False,
            why_not=ONE_INTERPRETER,
        ),
        Goal(goal="MB resident after 5,000 requests", value=memory, limit=150, why_not=MOSTLY_CODE),
        Goal(goal="answers that were not 200", value=wrong, limit=0),
    ]


def _prompt_goals(port: int, upstream: int, *, quick: bool, seed: int) -> list[Goal]:
    talks, cases = (2, 60) if quick else (5, 300)
    share = prompts.stable_prefix_share(port, upstream, turns=20, conversations=talks)
    cut, injected = prompts.silent_truncations(port, upstream, cases=cases, seed=seed)
    hola = prompts.injected_characters(port, upstream, "hola")
    about = prompts.injected_characters(port, upstream, asked(3))
    return [
        Goal(goal="characters injected for 'hola'", value=hola, limit=0),
        Goal(goal="characters injected where a skill fits", value=about, limit=1, at_most=False),
        Goal(goal="stable prefix over 20 turns", value=share, limit=0.95, at_most=False),
        Goal(goal="prompts cut because of skills", value=cut, limit=0),
        Goal(goal="… of cases with skills put in", value=injected, limit=1, at_most=False),
    ]


def _streams_survive(port: int, upstream: int, service: processes.Started) -> Goal:
    """Check that streams through Ollama survive when the engine's process is killed with
    SIGKILL.
    """
    pocket = {"model": "pocket", "stream": False, "options": {"num_predict": 4}}
    prompts.post(port, "/api/chat", {**pocket, "messages": [{"role": "user", "content": "hi"}]})
    prompts.post(upstream, "/slow", 1.0)
    survived: list[bool] = []

    def one(number: int) -> None:
        body = {"model": "mock", "messages": [{"role": "user", "content": asked(number)}]}
        lines = prompts.post(port, "/api/chat", body).strip().split(b"\n")
        survived.append(bool(json.loads(lines[-1])["done"]))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    for child in service.children():
        child.kill()
    for thread in threads:
        thread.join()
    prompts.post(upstream, "/slow", 0.0)
    lost = len(threads) - sum(survived)
    return Goal(goal="of 16 streams, lost when the engine was killed", value=lost, limit=0)


def print_parts(document: Row) -> None:
    """Print how long each part of a request takes inside Lull, to explain the result of a goal."""

    def rate(what: str, skills: int) -> float:
        return float(
            next(
                row["requests_per_s"]
                for row in document["rows"]
                if (row["what"], row["skills"], row["streamed"], row["connections"])
                == (what, skills, False, 32)
            )
        )

    bare, none, all_of_it = rate("bare aiohttp", 0), rate("lull", 0), rate("lull", MEASURED_SKILLS)
    print("µs of a request at 32 connections; but for the writing one interpreter on one core:")
    print(f"{1e6 / bare:>8.0f}  bare aiohttp: HTTP on both sides")
    print(f"{1e6 / none:>8.0f}  Lull without skills: also reads, links, records")
    print(
        f"{1e6 / all_of_it:>8.0f}  Lull with {MEASURED_SKILLS:,} skills and as many past requests"
    )
    print(
        f"CPU µs of its parts with {MEASURED_SKILLS:,} skills, each in a loop of its own. Between"
        " other work, with cold caches and the writer asking for the interpreter, they take about"
        " twice as long:"
    )
    for part, us in document["parts_us"].items():
        print(f"{us:>8.0f}  {part}")


def print_table(rows: Sequence[Row]) -> None:
    print("simulated upstream; p50 / p99 in ms")
    head = (
        "what",
        "skills",
        "stream",
        "conns",
        "whole p50",
        "p99",
        "first p50",
        "p99",
        "req/s",
        "MB",
    )
    print("".join(f"{cell:>13}" for cell in head))
    for r in rows:
        cells = (
            r["what"],
            r["skills"],
            "yes" if r["streamed"] else "no",
            r["connections"],
            f"{r['whole_p50_ms']:.2f}",
            f"{r['whole_p99_ms']:.2f}",
            f"{r['first_p50_ms']:.2f}",
            f"{r['first_p99_ms']:.2f}",
            f"{r['requests_per_s']:.0f}",
            f"{r['memory_mb']:.0f}" if "memory_mb" in r else "",
        )
        print("".join(f"{cell!s:>13}" for cell in cells))
