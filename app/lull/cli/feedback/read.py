"""`lull read`: shows what feedback Lull's reader (a small classifier model) found in the user's
messages.
"""

from __future__ import annotations

from lull.cli.shared.context import Context, progress
from lull.cli.shared.control import Control
from lull.cli.shared.showing import reveal_hidden
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import NotRunning
from lull.core.feedback.feedback import LASTING, LIKELY


def read(context: Context) -> int | None:
    """Run `lull read`: show the feedback that was found in the user's messages, or search them
    anew.
    """
    options = context.options
    if options.again:
        control = Control(context.paths)
        progress("Reading, a second or so a message …")
        wanted = {"again": True, "conversation": options.conversation}
        context.print_result(control.post(routes.FEEDBACK, wanted, patience_s=None), again_words)
    else:
        context.print_result(_heard(context), list_words)
    return None


def _heard(context: Context) -> Json:
    from lull.service.feedback.hearing import list_feedback
    from lull.store.feedback.feedback import FeedbackRows

    options = context.options
    wanted = {
        "conversation": options.conversation or "",
        "after": options.after,
        "limit": options.limit,
    }
    try:
        return Control(context.paths).get(routes.FEEDBACK, **wanted)
    except NotRunning:
        pass
    if not context.paths.database.exists():
        return {"feedback": [], "waiting": 0, "next": None}
    with context.open_stores() as stores:
        return list_feedback(FeedbackRows(stores.database), **wanted)


def list_words(found: Json) -> str:
    """Describe the feedback that was found in the user's messages."""
    lines = [line for one in found["feedback"] for line in _lines(one)]
    if found["next"]:
        lines.append(f"More: --after {found['next']}")
    return "\n".join([*(lines or ["Nothing was read yet."]), *_waiting(found["waiting"])])


def again_words(found: Json) -> str:
    """Describe what was found when messages were searched for feedback once more, beside what was
    found before.
    """
    lines = []
    for one in found["feedback"]:
        was = one["was"]
        lines += _lines(one)
        if was is not None:
            before, now = feedback_summary(was), feedback_summary(one)
            same = before == now and was["quote"] == one["quote"]
            lines.append(f"    as {was['read_by']} did" if same else f"    was: {_was(was)}")
    return "\n".join([*(lines or ["Nothing to read anew."]), *_waiting(found["waiting"])])


def feedback_summary(feedback: Json) -> str:
    """Describe in a few words what feedback was found in a user's message, such as a correction or
    a lasting wish.

    `feedback` is the JSON of what the reader model found in the message.
    """
    if feedback["unsure"]:
        return "unsure"
    parts = [f"correction {feedback['correction']:.0%}"] if feedback["correction"] > LIKELY else []
    if feedback["lasting"] > LASTING:
        kind = feedback["kind_of_rule"] or "wish"
        scope = {"all": "every request", "kind": "requests like it"}.get(
            feedback["scope"] or "", ""
        )
        parts.append(f"lasting {feedback['lasting']:.0%}: {kind}{f' for {scope}' if scope else ''}")
    if not parts and feedback["thanks"] > LIKELY:
        parts = [f"content {feedback['thanks']:.0%}"]
    return ", ".join(parts) or "nothing to learn from"


def _lines(one: Json) -> list[str]:
    quoted = [f"    “{reveal_hidden(' '.join(part.split()))}”" for part in one["quote"]]
    return [f"{one['turn']}  {feedback_summary(one)}  ({one['read_by']})", *quoted]


def _was(was: Json) -> str:
    quoted = " ".join(f"“{reveal_hidden(' '.join(part.split()))}”" for part in was["quote"])
    return f"{feedback_summary(was)} {quoted}".rstrip() + f" ({was['read_by']})"


def _waiting(count: int) -> list[str]:
    if not count:
        return []
    return [f"{count} message{'s' if count > 1 else ''} not read yet."]
