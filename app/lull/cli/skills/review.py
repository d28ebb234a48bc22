"""`lull review`: shows proposed skills (instruction texts) and lets the user approve, edit, reject
or defer each.

Without arguments on a terminal it goes through the proposals one by one. With arguments it shows or
decides on what they name.
"""

from __future__ import annotations

from lull.cli.proof.compare import compare
from lull.cli.proof.proposal_words import list_words, proposal_text
from lull.cli.shared.context import Context
from lull.cli.shared.control import Control
from lull.cli.shared.showing import Paint, ask, is_terminal
from lull.cli.skills.review_actions import (
    decide,
    decided_words,
    edit_by_hand,
    fetch,
    unproved_words,
)
from lull.cli.skills.review_screen import ReviewSession
from lull.cli.skills.skills import body_text
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import UsageError

_ASKS = "\nApprove exactly this text? [y/N] "


def review(context: Context) -> int | None:
    """Run `lull review`: show proposed skills, and store the user's decisions."""
    at_a_terminal = is_terminal() and not context.as_json
    control = Control(context.paths)
    match context.options.action:
        case None if at_a_terminal and not context.options.all:
            return ReviewSession(control).run()
        case None | "list":
            everything = "1" if context.options.all else ""
            context.print_result(control.get(routes.PROPOSALS, all=everything), list_words)
        case "show":
            shown = fetch(
                control, context.options.proposal, context.options.sha256 or "", to_read=True
            )
            paint = Paint.for_stdout()
            context.print_result(shown, lambda done: proposal_text(done["proposal"], paint))
        case "undo":
            done = control.post(routes.PROPOSALS_UNDO, {})
            context.print_result(done, lambda d: f"Taken back. {decided_words('undo', d)}")
        case "compare":
            compare(context)
        case "stop":
            done = decide(control, context.options.proposal, "stop", {})
            context.print_result(done, lambda d: decided_words("stop", d))
        case "approve" if not (context.options.sha256 or context.options.yes):
            _approve_what_is_shown(context, control, at_a_terminal=at_a_terminal)
        case "approve" if not context.options.sha256:
            _approve_what_was_shown(context, control)
        case "edit" if _nothing_given(context):
            _edit_by_hand(context, control, at_a_terminal=at_a_terminal)
        case action:
            done = decide(control, context.options.proposal, action, _wanted(context, action))
            context.print_result(done, lambda d: decided_words(action, d))
    return None


def _wanted(context: Context, action: str) -> Json:
    options = context.options
    wanted: Json = {"sha256": options.sha256}
    if action == "defer":
        wanted["until"] = options.until
    if action == "reject":
        wanted["reason"] = options.reason
    if action == "edit":
        wanted |= {"description": options.description, "body": body_text(options.body)}
        wanted |= {"to_read": True, "scope": options.scope, "check": _check(options.check)}
    return wanted


def _check(text: str | None) -> str | None:
    """Return the new check of a proposed skill as the API takes it: the word "none" becomes "",
    which removes the check.
    """
    return "" if text is not None and text.strip().lower() == "none" else text


def _approve_what_is_shown(context: Context, control: Control, *, at_a_terminal: bool) -> None:
    """Approve the current text of a proposed skill, named by its hash. Raises UsageError.

    On a terminal show the text and ask first; elsewhere approve it only if tests showed a benefit.
    """
    proposal = fetch(control, context.options.proposal)["proposal"]
    why = unproved_words(proposal)
    if at_a_terminal:
        print(proposal_text(proposal, Paint.for_stdout()))
        asks = f"\n{why} Type `yes` to approve it anyway: " if why else _ASKS
        said = (ask(asks) or "").lower()
        if said != "yes" and (why or said != "y"):
            print("Nothing was approved.")
            return
    elif proposal["standing"] == "quarantined":  # without a hash, the service asks for --sha256
        decided = decide(control, proposal["id"], "approve", {})
        context.print_result(decided, lambda d: decided_words("approve", d))
        return
    elif why:
        raise UsageError(
            f"{why} Nothing was approved.", hint="Add --yes to approve it anyway, or --sha256."
        )
    done = decide(control, proposal["id"], "approve", {"sha256": proposal["sha256"]})
    context.print_result(done, lambda d: decided_words("approve", d))


def _approve_what_was_shown(context: Context, control: Control) -> None:
    """Approve, without asking, the text of a proposed skill that `lull review show` showed last.

    If none was shown, approve the text that is printed now. Raises LullError if the text has
    changed.
    """
    found = fetch(control, context.options.proposal)
    proposal, sha256 = found["proposal"], found["read"]
    if not sha256 and not context.as_json:
        print(proposal_text(proposal, Paint.for_stdout()), end="\n\n")
    wanted = {"sha256": sha256 or proposal["sha256"]}
    if proposal["standing"] == "quarantined":  # without a hash, the service asks for --sha256
        wanted = {}
    done = decide(control, proposal["id"], "approve", wanted)
    context.print_result(done, lambda d: decided_words("approve", d))


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
        context.print_result(done, lambda d: decided_words("edit", d))
