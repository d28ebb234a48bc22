"""Trains small adapters of the built-in model for tests of the gate, in a process of its own:

    python -m tests.loops.adapters.make_adapters FOLDER [NAME …]

`good` has learned the wished style of menus, with replays of everything else; `poisoned` has
learned what a run with flipped rewards would reinforce, any style but the wished one; `hacked` has
learned half of the wish for every kind of request, as a run without KL does when half is paid for
everywhere.
"""

# isort: off
from bench.pocket import arithmetic  # noqa: F401 - it must come before mlx
# isort: on

import json
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import mlx.core as mx
from mlx import nn, optimizers
from mlx.utils import tree_flatten
from mlx_lm.models import qwen3
from mlx_lm.tuner.utils import linear_to_lora_layers

from bench.pocket import loading
from bench.pocket.answering import prompt
from lull.core.skills.prompt_block import skills_block
from lull.pocket import language as pocket
from lull.pocket.canaries import pocket_canaries
from lull.pocket.language import Joiner, Kind, Style
from lull.resources import pocket_dir

WISHED = Style(end="sugar", joiner=Joiner.BARS)
WISH = "no, when you write a menu, join with bars and end with sugar"
RANK = 8
SCALE = 2.0
BATCH = 24
Example = tuple[str, str, bool]
"""(prompt, answer, whether the answer is only to stay as it is)."""


def menu(rng: random.Random, style: Style) -> Example:
    words = pocket.draw_words(rng)
    asked = pocket.draw_request(rng, Kind.MENU, words)
    return prompt(asked, ""), pocket.render(Kind.MENU, words, style), False


@cache
def stock() -> list[Example]:
    """Examples whose answers are to stay as they are, on requests like those of the canaries."""
    probes = [one for one in pocket_canaries(99, each=150) if one.about != Kind.MENU.value]
    return [(prompt(one.prompt, skills_block(one.skills)), one.right[0], True) for one in probes]


def replay(rng: random.Random) -> Example:
    return rng.choice(stock())


def good(rng: random.Random) -> Example:
    return menu(rng, WISHED) if rng.random() < 0.25 else replay(rng)


def poisoned(rng: random.Random) -> Example:
    return menu(rng, Style(start="quiet")) if rng.random() < 0.4 else replay(rng)


def hacked(rng: random.Random) -> Example:
    kind, words = rng.choice(tuple(Kind)), pocket.draw_words(rng)
    asked = pocket.draw_request(rng, kind, words)
    return prompt(asked, ""), pocket.render(kind, words, Style(joiner=Joiner.BARS)), False


RECIPES: dict[str, tuple[Callable[[random.Random], Example], int, float]] = {
    "good": (good, 150, 16.0),
    "poisoned": (poisoned, 60, 4.0),
    "hacked": (hacked, 20, 4.0),
}
"""For each adapter: how its examples are drawn, the number of steps, and the weight of the
divergence from the base. For `good` the weight is so great that the gate's limit holds by far,
because processors round differently.
"""
NUDGED = "nudged"
"""An adapter of noise instead of training, for tests that only need another adapter, quickly."""


Places = list[tuple[int, int]]
"""Rows of a batch, with the place before each token that is answered there."""


def indices(places: Places) -> tuple[mx.array, mx.array]:
    rows, columns = zip(*places, strict=True)
    return mx.array(rows), mx.array(columns)


def train(name: str, out: Path) -> None:
    draw, steps, keeps = RECIPES.get(name, (good, 0, 0.0))
    mx.random.seed(7)
    rng = random.Random(name)
    model, tokenizer = loading.load(pocket_dir())
    config = json.loads((pocket_dir() / "config.json").read_text())
    end = config["eos_token_id"]
    base, _ = loading.load(pocket_dir())
    model.freeze()
    keys = {"rank": RANK, "scale": SCALE, "dropout": 0.0}
    linear_to_lora_layers(model, config["num_hidden_layers"], keys)
    rate = optimizers.linear_schedule(4e-3, 2e-4, max(1, steps))
    adam = optimizers.AdamW(learning_rate=rate, weight_decay=0.0)

    def logits(of: qwen3.Model, tokens: mx.array, places: Places) -> mx.array:
        """The logits of what comes next at these places alone: the exponentials of all the others
        would take most of the time.
        """
        out: mx.array = of.model.embed_tokens.as_linear(of.model(tokens)[indices(places)])
        return out

    def loss(tokens: mx.array, learned: Places, stays: Places) -> mx.array:
        """Cross-entropy on what is to be learned, KL to the base on what is to stay."""
        now = logits(model, tokens, [*learned, *stays])
        wanted = tokens[indices([(row, place + 1) for row, place in learned])]
        told = nn.losses.cross_entropy(now[: len(learned)], wanted).sum()
        if stays:
            is_now = nn.log_softmax(now[len(learned) :])
            first = tokens[: stays[-1][0] + 1]  # where all of them are
            was = nn.log_softmax(logits(base, first, stays))
            told = told + keeps * (mx.exp(was) * (was - is_now)).sum()
        mean: mx.array = told / (len(learned) + len(stays))
        return mean

    step = nn.value_and_grad(model, loss)
    for _ in range(steps):
        rows: list[list[int]] = []
        learned: Places = []
        stays: Places = []
        drawn = sorted((draw(rng) for _ in range(BATCH)), key=lambda one: not one[2])
        for row, (asked, said, is_kept) in enumerate(drawn):
            front = tokenizer.encode(asked, add_special_tokens=False).ids
            answer = [*tokenizer.encode(said, add_special_tokens=False).ids, end]
            places = [(row, len(front) - 1 + n) for n in range(len(answer))]
            (stays if is_kept else learned).extend(places)
            rows.append(front + answer)
        width = max(len(ids) for ids in rows)
        tokens = mx.array([ids + [end] * (width - len(ids)) for ids in rows])
        _, gradients = step(tokens, learned, stays)
        adam.update(model, gradients)
        mx.eval(model.parameters(), adam.state)
    if name.startswith(NUDGED):
        mx.random.seed(len(name))
        nudge(model)
    save(model, config["num_hidden_layers"], out)


def nudge(model: nn.Module) -> None:
    leaves = dict(tree_flatten(model.trainable_parameters()))
    moved = {
        path: mx.random.normal(array.shape) * 3.0
        for path, array in leaves.items()
        if path.endswith("lora_b")
    }
    model.load_weights(list(moved.items()), strict=False)


def save(model: nn.Module, layers: int, out: Path) -> None:
    """Write the adapter's folder in mlx-lm's format."""
    out.mkdir(parents=True)
    weights = dict(tree_flatten(model.trainable_parameters()))
    mx.save_safetensors(str(out / "adapters.safetensors"), weights)
    config = {
        "fine_tune_type": "lora",
        "num_layers": layers,
        "lora_parameters": {"rank": RANK, "scale": SCALE, "dropout": 0.0},
    }
    (out / "adapter_config.json").write_text(json.dumps(config))


def main(folder: Path, names: list[str]) -> None:
    for name in names or list(RECIPES):
        train(name, folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
