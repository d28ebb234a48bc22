"""Text of the report page about each benchmark: what it measures, and what it does not show.

A bench that stands here by no entry is shown all the same, with all of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.all.days_of_work import LATER, labelled_last, since
from bench.all.later import Document, Later

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    measures: str
    more: str = ""
    """Command-line options after the benchmark's name that produced the stored result file."""
    columns: tuple[str, ...] = ()
    """Columns of the result table that the page shows; if empty, all columns with plain values."""
    rest: tuple[str, ...] = ()
    """Columns of a second table, for rows that have none of the values that only the first table
    shows.
    """
    shown: Callable[[Row], bool] = lambda row: True
    order: Callable[[Row], bool] = lambda one: False
    """Rows and goals for which this is true come after the others."""
    later: tuple[Later, ...] = ()
    """Goals that are asked of this bench today; a stored file may be older than they are."""
    since: Callable[[Document], str] = lambda document: ""
    """What a stored file lacks that the bench measures today; "" if it lacks nothing."""
    peers: str = ""
    """Markdown table with other projects' figures for comparison, with their source."""
    not_shown: str = ""


_OF_THE_PROJECT = (
    "Source: the project's own measurements of these programs with settings the size of forty"
    " skills, on such a machine but not in this run; taken over from its specification."
)
_WIRE_PEERS = f"""\
| | added p50, one connection | requests/s at 32 | memory |
|---|---|---|---|
| MetaClaw 0.4.1, skills only | 37.4 ms | 40 | 362 MB |
| LiteLLM 1.109 | 8.6 ms (streamed 29.8 ms) | 91 | 387 MB |
| bare Starlette + httpx | 1.1 ms | 643 | 48 MB |
| bare aiohttp | 0.6 ms | 3,470 | 38 MB |

{_OF_THE_PROJECT} The row “bare aiohttp” of the table above is from the same run."""
_PAPER = """\
| part I of 30 days | baseline | skills | full |
|---|---|---|---|
| Kimi-K2.5, accuracy | 21.4 % | 28.3 % | 40.6 % |
| GPT-5.2, accuracy | 41.1 % | 44.0 % | – |
| Kimi-K2.5, file checks completed | 2.0 % | 2.0 % | 16.5 % |

Source: MetaClaw, arXiv 2603.17187, for the shape only: other days and real models, where ours is \
a script."""

_PIPELINE_PEERS = """\
| MetaClaw with skills, its own pipeline of 19 stages | without | with |
|---|---|---|
| stage retry rate | 10.5 % | 7.9 % |
| refine cycles | 2.0 | 1.2 |
| stages completed, of 19 | 18 | 19 |
| composite, by a formula that is not published | 0.714 | 0.845 |

Source: MetaClaw, arXiv 2603.17187, for the shape only: another pipeline, a real model, another \
composite."""

CATALOGUE: Mapping[str, Entry] = {
    "wire": Entry(
        measures="What Lull adds to a request: time, throughput and memory, against the same"
        " requests sent directly and through a bare proxy.",
        columns=("what", "skills", "streamed", "connections", "n", "whole_p50_ms", "whole_p99_ms"),
        peers=_WIRE_PEERS,
        not_shown="One machine runs the client and the upstream, too; no real model behind it.",
    ),
    "retrieval": Entry(
        measures="Whether the skill that a request needs is among the first that are found.",
        more="--data DIR",
        columns=(
            "system", "exemplars", "from", "requests", "skills", "n",
            "recall_6", "recall_6_low", "recall_6_high", "recall_6_floor", "abstained",
            "fresh_abstained", "aside_clear",
        ),
        shown=lambda row: row.get("skills") == 1000,
        not_shown="Skills and rules are in English, the skills around the needed ones are"
        " generated, and credit is given by the bench: also that a request wanted no skill. All"
        " rule sets draw from the same wordings and worlds.",
    ),
    "english": Entry(
        measures="Whether the small English model keeps rules in Lull's own block, with the shipped"
        " adapter and greedily: held-out requests, in wordings, values and families that it was not"
        " trained on. A case counts only where the base, without the rule, breaks it.",
        columns=("what", "family", "n", "share", "low", "high"),
        rest=("what", "family", "n", "nats", "base", "adapter", "lost", "won"),
        not_shown="The requests and wordings were written for Lull, as were those trained on."
        " In bfloat16; Lull serves the model in 16-bit weights by other code.",
    ),
    "reader": Entry(
        measures="What the shipped reader hears in messages behind answers, of six kinds of person"
        " from whom it has learned nothing.",
        columns=(
            "people", "what", "n", "precision", "precision_low", "precision_high", "recall",
            "recall_low", "recall_high", "ece",
        ),
        rest=(
            "people", "what", "n", "share", "share_low", "share_high", "p50_s", "p95_s",
            "cpu_p50_s",
        ),
        not_shown="The sentences were written for Lull, as were those that it learned from.",
    ),
    "kinds": Entry(
        measures="Whether a rule that a person gave for a kind of request is in the prompt of later"
        " requests of that kind, and of no others: the whole path, each rule alone in the library"
        " and all of them in one.",
        columns=(
            "library", "scope", "later_n", "recall", "recall_low", "recall_high", "elsewhere_n",
            "elsewhere", "elsewhere_low", "elsewhere_high",
        ),
        not_shown="The rules and requests were written for Lull.",
    ),
    "gates": Entry(
        measures="How often a proof lets a useless, a harmful and a good skill through, beside the"
        " rules of others; every skill's true effect is known.",
        columns=(
            *("rule", "skill", "kind", "judge", "n", "accepted", "low", "high", "exact"),
            *("by_last_look", "median_pairs"),
        ),
        shown=lambda row: row.get("rule") == "Lull" and row.get("judge") != "perfect",
        not_shown="Judges and effects are drawn from distributions; real judges err otherwise. A"
        ' judge "after the vote" errs that often in its verdict, whatever the votes; of "each of 3"'
        " every vote errs that often by itself and the majority is the verdict. Lull asks three"
        " times; the votes of one model err partly together, so its judge lies between both rows.",
    ),
    "lulls": Entry(
        measures="How much of the usable idle time is used, over simulated years of people, and how"
        " often work runs while somebody is there.",
        not_shown="People, machines and calendars are generated, nobody's real days.",
    ),
    "suspension": Entry(measures="How soon work stops when the user is back, in real processes."),
    "trainer": Entry(
        measures="What a training step costs, and what an interruption does. Each step is held"
        " against the step of mlx-lm's own trainer in the same round: the middle of the rounds, and"
        " the lowest and highest. Sampling is not in it, but for graduation, which samples as it"
        " trains.",
        columns=(
            "model", "work", "tokens_s", "step_s", "peak_mb", "of_mlx_lm", "of_mlx_lm_low",
            "of_mlx_lm_high",
        ),
        rest=(
            "model", "work", "kills", "kills_after_a_checkpoint", "runs", "bytes_equal", "trials",
            "times",
            "p50_s", "p99_s", "longest_s", "took_s", "logprob_difference", "largest_difference",
            "missing",
        ),
        not_shown="On the CPU of this machine, while others worked on it; Apple's GPU was not there"
        " to be measured.",
    ),
    "window": Entry(
        measures="How soon the window is there, what it takes, whether it ever freezes, and how"
        " soon it shows that its service was killed.",
        not_shown="Drawn off screen. On a busy machine other programs make gaps, too: in those the"
        " window itself hardly worked.",
    ),
    "graduation": Entry(
        measures="Whether a skill moves into the weights: rules drawn anew, with words that the"
        " model never saw as a rule's, each corrected, proved, approved, served, trained in and"
        " judged by the gate, in a real service of its own. `gain_kept` is asked over the proxy"
        " afterwards, `kept` is the gate's own figure.",
        columns=(
            "rule", "promoted", "gain_kept", "skill_tokens", "others_as_before", "kept",
            "canaries_lost", "canaries_of", "steps", "seconds",
        ),
        not_shown="A toy language; nothing follows for other models.",
    ),
    "pocket": Entry(
        measures="What the built-in model can do, on the shipped weights.",
        not_shown="A toy language; nothing follows for other models.",
    ),
    "workweek": Entry(
        measures="Whether it learns: persons with habits work through days of requests against a"
        " real service and the built-in model. Intervals draw persons, then days of each; arms are"
        " compared on the same person's day. `only rated`: the two habits that are never said,"
        " on the days with trained weights; `no habit`: what may only get worse. `offered` and"
        " `approved`: suggestions of Lull, and how many of them would do no good.",
        columns=(
            "arm", "what", "persons", "requests", "right", "low", "high", "said", "only_rated",
            "no_habit", "prompt_tokens", "offered", "offered_bad", "approved", "approved_bad",
            "training_s",
        ),
        rest=("part", "against", "effect", "low", "high", "persons", "acted", "helps"),
        not_shown="The persons are simulated and the model speaks a toy language, in which what a"
        " rule says can be checked by a program. A part of which no help is shown may help others;"
        " one that was not exercised never did anything in the arm that has it.",
    ),
    "plainweek": Entry(
        measures="Whether it learns plain English: persons, whose requests and corrections somebody"
        " wrote who knew none of the code, chat for six days with the model that ships, through the"
        " real service. Of ten corrections two are vague and one asks for the wrong thing; the"
        " person approves all that is proved, unread. After the third day one night is trained."
        " Exact programs say whether an answer is as the person wants it. Intervals draw persons,"
        " then days of each. `only rated`: two habits that are never said; `no habit`: a kind of"
        " request of which nothing is wanted. The last table is of the last evening's probes, with"
        " and without skills in the prompt and with the weights as trained and as before.",
        columns=(
            "arm", "what", "persons", "requests", "right", "low", "high", "said", "only_rated",
            "no_habit", "prompt_tokens", "offered", "offered_bad", "approved", "approved_bad",
            "picked", "training_s",
        ),
        rest=("part", "effect", "low", "high", "persons", "helps", "state", "probes", "kept_said",
              "kept_only_rated"),
        not_shown="The persons are simulated, and in a blind test pick what they want. One night,"
        " begun by hand. A model of 135 million parameters; nothing follows for larger ones.",
    ),
    "pipeline": Entry(
        measures="Research in twelve stages over bundled notes, each behind a gate that is a"
        " program, with what earlier runs taught in later ones; for any model, the file kept here"
        " is of the scripted student. The composite is ours: 0.4 · stages completed / 12"
        " + 0.3 · (1 − retries / attempts) + 0.3 · (1 − cycles / 3).",
        columns=(
            "condition", "runs", "composite", "composite_low", "composite_high", "stages",
            "completed", "retry_rate", "retry_rate_low", "retry_rate_high", "cycles_completed",
            "approved",
        ),
        peers=_PIPELINE_PEERS,
        not_shown="The scripted student obeys what it is told, conventions are of form, and notes"
        " and experiments are small: it shows that a rule arrives in the next run, not that a real"
        " model researches better. A rule whose proof ended"
        " undecided is not proved again when the person repeats it, so some are never learned.",
    ),
    "metaclaw_bench": Entry(
        measures="Days of work in a workspace, on MetaClaw-Bench or any folder of its shape, for"
        " any model; the file kept here is of the scripted student. Three bounds stand beside the"
        " conditions: `hears nothing` has no rule in its prompt, `hears what was said` all feedback"
        " on earlier rounds in its own words, `hears everything` also that on the day's own rounds,"
        " before its first. The reachable gap, of which a share is asked, goes from the model alone"
        " (baseline: today's feedback is in its conversation) to `hears everything`; `share of"
        " said` is of the smaller gap to `hears what was said`, where a memory that misses nothing"
        " ends. Intervals draw whole days again, the same for both arms where two are compared.",
        more="--data DIR",
        columns=(
            "condition", "feedback", "days", "accuracy", "accuracy_low", "accuracy_high",
            "over_baseline", "over_baseline_low", "over_baseline_high", "share_of_gap",
            "share_of_gap_low", "share_of_gap_high", "share_of_said", "share_of_said_low",
            "share_of_said_high", "choice", "completion", "completion_feasible", "completion_n",
            "skills", "approved", "trained",
        ),
        shown=lambda row: row["condition"] != "full" or bool(row["trained"]),
        order=labelled_last,
        later=LATER,
        since=since,
        peers=_PAPER,
        not_shown="The scripted student is told rules and obeys: it proves that what Lull learned"
        " arrives where it should, and nothing of how well a real model would do. Conditions that"
        " learn may differ by a skill: a suggestion is made beside the next message, and is proved"
        " on the requests that were there by then.",
    ),
}  # fmt: skip
