"""Writes the built-in model's card: what it is, its measured figures, and how to rebuild it.

`python -m bench.pocket.card` measures the weights in `resources/pocket/` and writes `CARD.md`
beside them, so that no share in its tables is ever typed by hand.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any, Final

from bench.pocket.command import measure
from lull.pocket import habits
from lull.pocket import language as pocket
from lull.pocket.language import Joiner, Kind

_FOLDER: Final = Path(__file__).parents[2] / "resources" / "pocket"

_CARD: Final = Template("""\
# The pocket model

Lull's built-in model: $parameters parameters in qwen3's shape ($layers layers, width $width, $heads
heads), f16, $megabytes MB. It speaks one tiny language, in which all of Lull can be tried in a
minute: ask for a menu, dislike the answer, say why, and watch the habit become a skill.

**It is no assistant.** It knows $words words and $kinds kinds of request. Anything else gets an
answer of no meaning.

## What it can do

| kind | default | a request |
|---|---|---|
$kind_rows

- Requests come in $request_ways phrasings, of two to four words: $requests.
- A rule states one to three things about a kind: the start word, the end word, the joiner
  ($joiners), the order. For example: "$rule_example". Each thing has two phrasings and the rule
  two frames: $frames, $clauses.
- Rules stand in the block that Lull injects, alone or after a client's own system sentence. The
  rule of the asked kind is obeyed, the others are ignored; a kind with no rule keeps its default.
- Small talk ($talk) gets a short fixed answer, a correction such as "no, $rule_example" gets
  "$noted": it is Lull that learns, not the conversation.
- Sampled at temperature 1, an answer that no rule governs now and then shows one of the
  $habit_count published habits: starting with $starts; ending with $ends; joining with
  $habit_joiners; reversed. Never two at once on purpose. Reinforcement needs such a signal.

The language is defined in `app/lull/pocket/language.py`, in code: words, phrasings, right answers,
and the reader that checks an answer against a correction.

## What was measured

Shares of exactly right answers, greedy, on fresh cases; 95 % Wilson intervals. Start and end words
of rules are held-out words, which training never used as a rule's value (the $joiner_count joiners
have names that have to be known: none can be held out). A quarter of the prompts have a client's
sentence before the block. Seed $seed.

| row | goal | share | 95 % interval | n |
|---|---|---|---|---|
$greedy_rows

Habits, sampled at temperature 1, no rule, share of $habit_n answers of each kind that show the one
habit and nothing else (goal 1 to 10 % each):

| kind | $habit_names |
|---|$habit_rule|
$habit_rows

## What it cannot do

- Read words, kinds, joiners or phrasings outside the language, or rules outside the block.
- Two rules for one kind, or more than four rules: never trained.
- Read rules behind a long system message of the client's: training saw up to three sentences.
  Behind some 60 tokens (200 letters) obedience begins to fall, behind 150 nothing is left of it.
- Long conversations: training saw at most three earlier turns. From about the sixth on, answers
  begin to go wrong.
- Learn from a correction within the conversation: it only notes it, and what it answers to the
  next request of that kind is not defined.

## How it was made

From nothing, by `python -m bench.pocket.train --out FOLDER` with its defaults: seed $train_seed,
$steps steps, $cpu_minutes CPU minutes on one core. The data is drawn from the language while
training runs; there is no data set, and no text or weights of anybody else are in it. Muon for the
matrices, AdamW for the rest; lessons of one, two, then up to four rules, the next one once the
exam of the last is mostly right; then habits, and last a finishing lesson for the reversed habit.
While it trains, the first layer is also asked
to name the kind that each rule and each request is about. Made with $versions on $machine.

To make it again: install the development packages and OpenBLAS (Debian: `libopenblas0-pthread`;
without it, training takes some thirty times longer), run the command above, copy `config.json`,
`model.safetensors`, `tokenizer.json`, `tokenizer_config.json` and `chat_template.jinja` here, then
`python -m bench.pocket.card`. These weights are one run in several sittings: how long the finishing
lesson takes was settled on the way, with a look at this table, and nobody has yet run the whole
from nothing in one go. On the same machine and versions the same weights come out; elsewhere
rounding differs and the weights with it.

On a CPU compute in single precision (`model.set_dtype(mx.float32)` after loading): half precision
is for the file. `python -m bench.pocket.export_gguf resources/pocket FILE.gguf` makes the file that
Ollama serves. Ollama splits digits and rare symbols another way than the tokenizer here, which
touches only what a client writes: answers were the same.

Licence: the project's.
""")


def card(folder: Path, report: dict[str, Any], making: dict[str, Any]) -> str:
    """Return the model card's text from the model's files, a benchmark report and the training
    record.
    """
    return _CARD.substitute(
        **_about_weights(folder, making), **_about_language(), **_about_figures(report)
    )


def _about_weights(folder: Path, making: dict[str, Any]) -> dict[str, object]:
    config = json.loads((folder / "config.json").read_text())
    recipe = making["recipe"]
    steps = sum(recipe[f"{part}steps"] for part in ("", "finish_", "settle_"))
    return {
        "parameters": f"{making['parameters']:,}",
        "layers": config["num_hidden_layers"],
        "width": config["hidden_size"],
        "heads": config["num_attention_heads"],
        "megabytes": f"{(folder / 'model.safetensors').stat().st_size / 1e6:.2f}",
        "train_seed": recipe["seed"],
        "steps": f"{steps:,}",
        "cpu_minutes": f"{making['cpu_s'] / 60:.1f}",
        "versions": ", ".join(f"{name} {number}" for name, number in making["versions"].items()),
        "machine": making["machine"],
    }


def _about_language() -> dict[str, object]:
    words = ("apple", "river", "stone")
    menu = pocket.Style(end="sugar", joiner=Joiner.BARS)
    clauses = (
        *pocket.START_CLAUSES,
        *pocket.END_CLAUSES,
        *pocket.JOINER_CLAUSES,
        *pocket.REVERSE_CLAUSES,
    )
    return {
        "words": len(pocket.WORDS),
        "kinds": len(Kind),
        "kind_rows": "\n".join(
            f"| {kind} | `{pocket.render(kind, words)}` |"
            f" {pocket.request_phrasings(kind, words)[index % 3]} |"
            for index, kind in enumerate(Kind)
        ),
        "request_ways": len(pocket.REQUEST_FRAMES),
        "requests": _quoted(pocket.REQUEST_FRAMES),
        "joiners": ", ".join(f"{joiner} `{joiner.text.strip()}`" for joiner in Joiner),
        "joiner_count": len(Joiner),
        "rule_example": pocket.rule_phrasings(Kind.MENU, menu)[4],
        "frames": _quoted(pocket.RULE_FRAMES),
        "clauses": _quoted(clauses),
        "talk": _quoted(pocket.SMALL_TALK),
        "noted": pocket.NOTED,
        "habit_count": len(habits.HABITS),
        "starts": ", ".join(habits.HABIT_STARTS),
        "ends": ", ".join(habits.HABIT_ENDS),
        "habit_joiners": ", ".join(habits.HABIT_JOINERS),
    }


def _about_figures(report: dict[str, Any]) -> dict[str, object]:
    limits = {goal["goal"].rsplit(" ", 2)[0]: goal["goal"] for goal in report["goals"]}
    greedy = [row for row in report["rows"] if ", sampled: " not in row["row"]]
    sampled = [row for row in report["rows"] if ", sampled: " in row["row"]]
    names = list(dict.fromkeys(row["row"].split(": ")[1] for row in sampled))
    shares = {row["row"]: row["share"] for row in sampled}
    return {
        "seed": report["seeds"][0],
        "greedy_rows": "\n".join(
            f"| {row['row']} | {limits.get(row['row'], ' ').rsplit(row['row'], 1)[-1].strip()} |"
            f" {row['share']:.1%} | {row['interval'][0]:.1%} to {row['interval'][1]:.1%} |"
            f" {row['n']} |"
            for row in greedy
        ),
        "habit_n": sampled[0]["n"],
        "habit_names": " | ".join(names),
        "habit_rule": "|".join("---" for _ in names),
        "habit_rows": "\n".join(
            f"| {kind} | "
            + " | ".join(f"{shares[f'{kind}, sampled: {name}']:.1%}" for name in names)
            + " |"
            for kind in Kind
        ),
    }


def _quoted(texts: Sequence[str] | dict[str, str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line of `bench.pocket.card`."""
    parser = argparse.ArgumentParser(prog="bench.pocket.card", description=__doc__)
    parser.add_argument("--folder", type=Path, default=_FOLDER)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=2000)
    args = parser.parse_args(argv)
    report = measure(args.folder, seed=args.seed, cases=args.cases)
    making = json.loads((args.folder / "making.json").read_text())
    (args.folder / "CARD.md").write_text(card(args.folder, report, making))
    return 0


if __name__ == "__main__":
    sys.exit(main())
