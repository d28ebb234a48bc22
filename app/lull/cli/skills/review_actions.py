"""Sends the user's decision on a proposed skill (approve, edit, reject, …) to the service and
describes the result.
"""

from __future__ import annotations

from urllib.parse import quote

from lull.cli.proof.proposal_words import SCOPES, status_words
from lull.cli.shared.control import Control
from lull.cli.shared.showing import reveal_hidden
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import UsageError


def fetch(control: Control, proposal: str, sha256: str = "", *, to_read: bool = False) -> Json:
    """Return the JSON of a proposed skill from the service, by the proposal's id.

    With `to_read` the service remembers which text was shown to the user.
    """
    path = routes.PROPOSAL.format(id=quote(proposal, safe=""))
    return control.get(path, sha256=sha256, to_read="1" if to_read else "")


def decide(control: Control, proposal: str, action: str, wanted: Json) -> Json:
    """Send the user's decision on a proposed skill, such as to approve it, to the service.

    `action` is the decision, such as "approve", and `wanted` the request's body. Returns
    `{"generation", "proposal"}`: the skill library's version number and the proposal, both as they
    are after the decision.
    """
    path = routes.PROPOSAL_DO.format(id=quote(proposal, safe=""), action=action)
    return control.post(path, wanted)


def unproved_words(proposal: Json) -> str:
    """Say in words why the user must confirm the approval of a proposed skill, such as that no test
    has shown that it helps.

    Returns "" for a skill whose benefit was shown by tests, and for a proposal that only removes a
    skill.
    """
    reason = reveal_hidden(proposal["reason"]).rstrip(".")
    match proposal.get("standing"):
        case "untested":
            return "It was not tested yet, so nobody knows whether it helps."
        case "not-better":
            return f"Tests did not show that it helps: {reason}."
        case "untestable":
            return f"It cannot be tested automatically: {reason}."
        case "quarantined":
            return "It is quarantined."
    return ""


def decided_words(action: str, done: Json) -> str:
    """Describe the decision about a proposed skill that was just made."""
    proposal = done["proposal"]
    name = f"“{reveal_hidden(proposal['name'])}”"
    match action:
        case "approve" if proposal["kind"] == "retire":
            return f"Generation {done['generation']}: {name} is in no prompt any more."
        case "approve":
            return (
                f"Generation {done['generation']}: {name} is in force from your next message."
                " `lull review undo` takes it back."
            )
        case "edit":
            return f"{name} reads as you wrote it: {_edited(proposal)}. sha256 {proposal['sha256']}"
    return f"{name}: {status_words(proposal)}."


def _edited(proposal: Json) -> str:
    anew = proposal["status"] == "screened"
    holds = SCOPES[proposal["scope"]]
    return f"{holds}, and it is proved anew" if anew else f"{holds}; {status_words(proposal)}"


def edit_by_hand(control: Control, proposal: Json) -> Json | None:
    """Open the SKILL.md of a proposed skill in the user's editor and send the edited text to the
    service.

    Returns the service's answer, or None if the user changed nothing. Raises LullError.
    """
    from lull.cli.skills.editor import edit_text
    from lull.store.skills.skill_md import parse

    if proposal["kind"] == "retire":
        raise UsageError("There is no text to edit.", hint="Approve or reject it.")
    after = edit_text(proposal["text"], control.home)
    if after is None:
        return None
    new = parse(after.encode(), where="your text")
    old = parse(proposal["text"].encode(), where="the suggestion")
    if (new.name, new.metadata, new.extra) != (old.name, old.metadata, old.extra):
        raise UsageError(
            "Only the description and the body of a suggestion can be changed.",
            hint="Approve it first; then edit the skill.",
        )
    if (new.description, new.body) == (old.description, old.body):
        return None
    wanted = {"description": new.description, "body": new.body, "sha256": proposal["sha256"]}
    wanted["to_read"] = True
    return decide(control, proposal["id"], "edit", wanted)
