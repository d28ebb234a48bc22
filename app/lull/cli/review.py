"""`lull review`: the proposals, and the user's decision about each.

On a terminal `review` alone walks through them (review_screen.py); every other form is one
question to the service and one answer.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lull.cli.context import Context
from lull.cli.control import Control
from lull.cli.proposal_words import SCOPES, list_words, status_words, whole
from lull.cli.showing import Paint, ask, is_terminal, revealed
from lull.cli.skills import body_text
from lull.contract import routes
from lull.core.errors import UsageError

Json = dict[str, Any]


def review(context: Context) -> int | None:
    at_a_terminal = is_terminal() and not context.as_json
    control = Control(context.paths)
    match context.options.action:
        case None if at_a_terminal and not context.options.all:
            from lull.cli.review_screen import Walk

            return Walk(control).run()
        case None | "list":
            everything = "1" if context.options.all else ""
            context.answer(control.get(routes.PROPOSALS, all=everything), list_words)
        case "show":
            shown = fetch(control, context.options.proposal, context.options.sha256 or "")
            paint = Paint.for_stdout()
            context.answer(shown, lambda done: whole(done["proposal"], paint))
        case "undo":
            done = control.post(routes.PROPOSALS_UNDO, {})
            context.answer(done, lambda d: f"Taken back. {decided_words('undo', d)}")
        case "compare":
            from lull.cli.compare import compare

            compare(context)
        case "approve" if at_a_terminal and not context.options.sha256:
            _approve_what_is_shown(context, control)
        case "edit" if _nothing_given(context):
            _edit_by_hand(context, control, at_a_terminal=at_a_terminal)
        case action:
            done = decide(control, context.options.proposal, action, _wanted(context, action))
            context.answer(done, lambda d: decided_words(action, d))
    return None


def fetch(control: Control, proposal: str, sha256: str = "") -> Json:
    return control.get(routes.PROPOSAL.format(id=quote(proposal, safe="")), sha256=sha256)


def decide(control: Control, proposal: str, action: str, wanted: Json) -> Json:
    """`{"generation", "proposal"}` afterwards."""
    path = routes.PROPOSAL_DO.format(id=quote(proposal, safe=""), action=action)
    return control.post(path, wanted)


def _wanted(context: Context, action: str) -> Json:
    options = context.options
    wanted: Json = {"sha256": options.sha256}
    if action == "reject":
        if not options.reason.strip():
            raise UsageError("A reason is missing.", hint="Say why: --reason TEXT.")
        wanted["reason"] = options.reason
    if action == "edit":
        wanted |= {"description": options.description, "body": body_text(options.body)}
        wanted |= {"scope": options.scope, "check": _check(options.check)}
    return wanted


def _check(text: str | None) -> str | None:
    """`none` takes it away."""
    return "" if text is not None and text.strip().lower() == "none" else text


def decided_words(action: str, done: Json) -> str:
    proposal = done["proposal"]
    name = f"“{revealed(proposal['name'])}”"
    match action:
        case "approve" if proposal["kind"] == "retire":
            return f"Generation {done['generation']}: {name} is in no prompt any more."
        case "approve":
            return (
                f"Generation {done['generation']}: {name} is in force from the next conversation."
                " `lull review undo` takes it back."
            )
        case "edit":
            return f"{name} reads as you wrote it: {_edited(proposal)}. sha256 {proposal['sha256']}"
    return f"{name}: {status_words(proposal)}."


def _edited(proposal: Json) -> str:
    anew = proposal["status"] == "screened"
    holds = SCOPES[proposal["scope"]]
    return f"{holds}, and it is proved anew" if anew else f"{holds}; {status_words(proposal)}"


# On a terminal


def _approve_what_is_shown(context: Context, control: Control) -> None:
    """Nobody approves a text that they have not seen: it is shown, and its hash is what counts."""
    proposal = fetch(control, context.options.proposal)["proposal"]
    print(whole(proposal, Paint.for_stdout()))
    said = ask("\nApprove exactly this text? [y/N] ") or ""
    if said.lower() not in ("y", "yes"):
        print("Nothing was approved.")
        return
    done = decide(control, proposal["id"], "approve", {"sha256": proposal["sha256"]})
    context.answer(done, lambda d: decided_words("approve", d))


def _nothing_given(context: Context) -> bool:
    options = context.options
    given = (options.description, options.body, options.scope, options.check)
    return all(one is None for one in given)


def _edit_by_hand(context: Context, control: Control, *, at_a_terminal: bool) -> None:
    if not at_a_terminal:
        raise UsageError(
            "Nothing to edit.",
            hint="Give --description, --body, --scope or --check; on a terminal your EDITOR opens.",
        )
    found = fetch(control, context.options.proposal, context.options.sha256 or "")
    done = edit_by_hand(control, found["proposal"])
    if done is None:
        print("Nothing was changed.")
    else:
        context.answer(done, lambda d: decided_words("edit", d))


def edit_by_hand(control: Control, proposal: Json) -> Json | None:
    """The user's editor with the SKILL.md; None when nothing was changed. Raises LullError."""
    from lull.cli.editor import edited
    from lull.store.skill_md import parse

    if proposal["kind"] == "retire":
        raise UsageError("There is no text to edit.", hint="Approve or reject it.")
    after = edited(proposal["text"])
    if after is None:
        return None
    new = parse(after.encode(), where="your text")
    old = parse(proposal["text"].encode(), where="the proposal")
    if (new.name, new.metadata, new.extra) != (old.name, old.metadata, old.extra):
        raise UsageError(
            "Only the description and the body of a proposal can be changed.",
            hint="Approve it first; then edit the skill.",
        )
    if (new.description, new.body) == (old.description, old.body):
        return None
    wanted = {"description": new.description, "body": new.body, "sha256": proposal["sha256"]}
    return decide(control, proposal["id"], "edit", wanted)
