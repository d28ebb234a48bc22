"""Texts that `lull connect` prints about chat apps and about changes to their settings files."""

from __future__ import annotations

from lull.cli.shared.context import plain, table
from lull.cli.shared.showing import Paint
from lull.contract.json_object import Json
from lull.loops.clients.connect import UndoPlan


def listed(document: Json) -> str:
    """Describe the chat clients that Lull knows, and whether each is connected."""
    rows = [
        (
            view["name"],
            view["version"] or ("yes" if view["found"] else "no"),
            _state(view),
            "".join(view["files"]) or "-",
        )
        for view in document["clients"]
    ]
    lines = [table(rows, ("CLIENT", "INSTALLED", "STATE", "FILE")), ""]
    drifted = [view["name"] for view in document["clients"] if view["drifted"]]
    if drifted:
        names = ", ".join(drifted)
        lines.append(
            f"No longer pointing at Lull, though Lull wrote it: {names}. Something changed the file"
            " since, or Lull has another address now. Connect again, or --undo."
        )
    lines.append("`lull connect NAME` shows what it would change, and asks first.")
    return "\n".join(lines)


def _state(view: Json) -> str:
    if view["unreadable"]:
        return "needs one change by hand"
    if view["drifted"]:
        return "was connected, is not now"
    if view["connected"]:
        return "connected"
    return "not connected" if view["writable"] else "by hand"


def by_hand(document: Json) -> str:
    """Describe how the user connects a client that Lull cannot connect itself."""
    return f"{document['title']} cannot be connected from here. {document['by_hand']}"


def describe_change(document: Json) -> str:
    """Describe a planned change of a chat app's settings file: its diff, and how to undo it."""
    return (
        f"{Paint.for_stdout().diff(document['diff'])}\n\n"
        f"This changes {plain(document['file'])}. What stands there now is kept;"
        f" `lull connect {document['name']} --undo` brings it back."
    )


def not_written(document: Json) -> str:
    """Describe a change of a client's file that was only shown."""
    if not document["diff"]:
        return "Nothing was changed."
    return f"{describe_change(document)}\nNothing was changed yet; `--yes` writes it."


def nothing_to_do(document: Json) -> str:
    """Describe that a client is connected already."""
    return f"{plain(document['file'])} already points at Lull."


def written(document: Json) -> str:
    """Describe a change of a client's file that was made, and the test of the connection."""
    lines = [f"Written: {plain(document['file'])}.", document["note"]]
    if document["test"] is None:
        lines.append(
            "Not tested, because Lull does not run. Start it with `lull serve`, then"
            f" `lull connect {document['name']} --test`."
        )
    else:
        lines.append(describe_test(document))
    return "\n".join(line for line in lines if line)


def describe_test(document: Json) -> str:
    """Describe the successful test of a chat app's connection; "" for a failed one, which is
    reported as an error.
    """
    test = document["test"]
    if not test["ok"]:
        return ""
    answer = " ".join(test["answer"].split())[:120]
    asked = plain(test["model"])
    by = plain(test["answered_by"] or test["model"])
    whose = "which its settings name" if test["from_client"] else "because its settings name none"
    if by == asked:
        by = "it"
    return f"Tested: asked {asked}, {whose}; {by} answered in {test['took_s']:g} s: {answer}"


def undone(document: Json) -> str:
    """Describe that a client's file was put back, and what in it was kept."""
    paths = ", ".join(plain(one["file"]) for one in document["changes"])
    if not document["undone"]:
        return f"Nothing was changed. `--undo` alone puts back {paths}."
    changed = [one for one in document["changes"] if one["changed_since"]]
    tail = ", but for what was changed in it since" if changed else ""
    if changed and all(one["only_line_ends"] for one in changed):
        tail = ", but for line ends that were changed since"
    return f"As before Lull: {paths}{tail}."


def all_undone(document: Json) -> str:
    """Describe that the files of all connected clients were put back."""
    done = document["clients"]
    if not done and not document["failed"]:
        return "No client is connected."
    return "\n".join(undone(one) for one in done)


def diff_since_written(plan: UndoPlan) -> str:
    """Return a coloured diff of what anybody but Lull changed in a chat app's settings file after
    Lull had written it.
    """
    return Paint.for_stdout().diff(plan.diff)
