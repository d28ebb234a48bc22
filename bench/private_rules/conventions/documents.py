"""Conventions for texts that people read: documents, letters and chat answers."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from bench.private_rules.checks import Check, CheckKind
from bench.private_rules.rule import Feature, Phrasing, Rule, Task, Words


def _text(rule: str, task: Task, pattern: str) -> Check:
    return Check(kind=CheckKind.TEXT, rule=rule, place=task.place, params={"pattern": pattern})


def _header_words(said: str) -> dict[Phrasing, Words]:
    return {
        Phrasing.TERSE: Words(
            name="document-head", description="Opening a Markdown document.", body=said
        ),
        Phrasing.ORDINARY: Words(
            name="block-on-top-of-documents",
            description="When notes, a report or a guide are written as a Markdown document.",
            body=f"{said} Nothing stands above it.",
        ),
        Phrasing.SITUATIONAL: Words(
            name="others-will-read-this",
            description="The user wants something set down in Markdown that colleagues will"
            " read later: what was said, how a thing is done, where it stands.",
            body=f"Whoever finds it must see whose it is and how far. {said}",
        ),
    }


def header(rng: random.Random) -> Rule:
    owner = rng.choice(["owner", "written_by", "keeper", "editor"])
    state = rng.choice(["state", "stage", "standing"])
    states = rng.choice([("draft", "checked", "final"), ("raw", "read", "released")])
    made = rng.choice(["made_on", "written_on", "opened"])
    fence = rng.choice([("---", "---"), ("<!--", "-->"), ("+++", "+++")])
    names = [owner, state, made]
    rng.shuffle(names)
    values = {owner: "assistant", state: states[0], made: ""}

    def head(task: Task) -> str:
        filled = {**values, made: f"{task.on:%Y-%m-%d}"}
        lines = [f"{name}: {filled[name]}" for name in names]
        return "\n".join((fence[0], *lines, fence[1], ""))

    forms = {owner: r"\S.*", state: "|".join(states), made: r"\d{4}-\d{2}-\d{2}"}
    body = "\\n".join(f"{name}: (?:{forms[name]})" for name in names)
    pattern = rf"\A{re.escape(fence[0])}\n{body}\n{re.escape(fence[1])}\n"
    said = (
        f"A document opens with a block between {fence[0]} and {fence[1]} that holds"
        f" {', '.join(names)}, in this order; {state} is one of {', '.join(states)}, {made} a date"
        " like 2031-02-13."
    )
    right = "\n".join((fence[0], *(f"{n}: {values[n] or '2031-02-13'}" for n in names), fence[1]))
    return Rule(
        id="header",
        needs=Feature.DOCUMENT,
        said=said,
        words=_header_words(said),
        styled=lambda style: replace(style, head=head),
        checks=lambda task: (_text("header", task, pattern),),
        about="openings of a document",
        right=(right,),
        wrong=("# Annual survey", "by the assistant, 13 Feb", "Title: survey", "> draft"),
    )


_ENDINGS = (
    ("## Open points", "what is still open"),
    ("## Next steps", "what comes next"),
    ("## Who to ask", "who knows more"),
    ("## Sources", "where it comes from"),
    ("## In one sentence", "the whole in one sentence"),
)


def closing(rng: random.Random) -> Rule:
    title, what = rng.choice(_ENDINGS)
    bullet = rng.choice(["- ", "* ", "1. "])
    least = rng.choice([1, 2, 3])
    lines = "\n".join(f"{bullet}to be settled" for _ in range(least))
    pattern = rf"^{re.escape(title)}\n\n?(?:{re.escape(bullet)}\S.*\n?){{{least},}}\Z"
    said = (
        f"A document's last part is `{title}`, on {what}: at least {least}"
        f" line{'s' * (least > 1)}, each begun with `{bullet.strip()}`."
    )
    return Rule(
        id="closing",
        needs=Feature.DOCUMENT,
        said=said,
        words={
            Phrasing.TERSE: Words(
                name="document-end", description="Ending a Markdown document.", body=said
            ),
            Phrasing.ORDINARY: Words(
                name="last-part-of-documents",
                description="When a summary, a guide or minutes are finished in Markdown.",
                body=f"{said} Nothing stands below it.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="what-a-reader-does-next",
                description="The user has notes or a report written up for people who were not"
                " there.",
                body=f"They read the end first. {said}",
            ),
        },
        styled=lambda style: replace(style, tail=f"\n{title}\n\n{lines}\n"),
        checks=lambda task: (_text("closing", task, pattern),),
        about="last parts of a document",
        right=(f"{title}\n\n{lines}",),
        wrong=("That is all.", "## The end", "Thanks for reading!", "***"),
    )


_OPENINGS = ("Dear {to},", "Good day, {to}.", "To {to}:", "Greetings to {to},")
_CLOSINGS = (
    "With kind regards",
    "Yours faithfully",
    "Warmly",
    "In haste",
    "Always at your service",
)


def letters(rng: random.Random) -> Rule:
    opening, end = rng.choice(_OPENINGS), rng.choice(_CLOSINGS)
    place = rng.choice(["the front desk", "the back office", "the workshop", "the night shift"])
    closing_ = f"{end},\n{place}"

    def checks(task: Task) -> tuple[Check, ...]:
        opened = re.escape(opening.format(to=task.recipient))
        return (
            _text("letters", task, rf"\A{opened}\n"),
            _text("letters", task, rf"^{re.escape(end)},\n{re.escape(place)}\s*\Z"),
        )

    said = (
        f"A letter opens with `{opening.format(to='NAME')}` on a line of its own and ends with"
        f" `{end},` and `{place}` on the last two lines."
    )
    return Rule(
        id="letters",
        needs=Feature.LETTER,
        said=said,
        words={
            Phrasing.TERSE: Words(name="letter-form", description="Writing a letter.", body=said),
            Phrasing.ORDINARY: Words(
                name="how-letters-open-and-end",
                description="When a letter or an e-mail to somebody outside is drafted.",
                body=f"{said} Nobody signs with a name.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="somebody-outside-must-be-told",
                description="The user wants a few lines to a customer, a supplier or an authority:"
                " to ask, to remind, to apologise, to say no.",
                body=f"It goes out in the name of the house. {said}",
            ),
        },
        styled=lambda style: replace(
            style, opening=lambda to: opening.format(to=to), closing=closing_
        ),
        checks=checks,
        about="last lines of a letter",
        right=(closing_,),
        wrong=("Cheers", "Best", "Sent from my phone", "xoxo"),
    )


def results(rng: random.Random) -> Rule:
    word = rng.choice(["Result", "Answer", "Total", "Sum", "Outcome"])
    mark = rng.choice([": ", " = ", " → "])
    first = rng.random() < 0.5

    def result(text: str) -> str:
        line = f"{word}{mark}{text}"
        rest = "Worked out from the figures given."
        return f"{line}\n{rest}" if first else f"{rest}\n{line}"

    line = rf"{re.escape(word + mark)}\d\S*"
    pattern = rf"\A{line}" if first else rf"^{line}\s*\Z"
    said = (
        f"Where something is worked out in chat, the {'first' if first else 'last'} line is"
        f" `{word}{mark}` and the figure."
    )
    return Rule(
        id="results",
        needs=Feature.QUESTION,
        said=said,
        words={
            Phrasing.TERSE: Words(
                name="figures-in-chat", description="Working out a figure.", body=said
            ),
            Phrasing.ORDINARY: Words(
                name="how-sums-are-answered",
                description="When the user asks how much or how many something comes to.",
                body=f"{said} One line of working at most.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="a-number-is-wanted-quickly",
                description="The user gives a few figures and wants to know what they make"
                " together, for each, or for a larger number.",
                body=f"They are reading on a small screen. {said}",
            ),
        },
        styled=lambda style: replace(style, result=result),
        checks=lambda task: (
            Check(kind=CheckKind.ANSWER, rule="results", params={"pattern": pattern}),
        ),
        about="answers to what 4 times 12 makes",
        right=(result("48"),),
        wrong=("It is 48.", "48 I think", "around fifty", "4*12"),
    )
