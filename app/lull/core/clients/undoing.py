"""Removes Lull's lines from a configuration file that somebody changed after Lull had written them,
by a three-way merge.
"""

from __future__ import annotations

from difflib import SequenceMatcher, unified_diff


def undo_change(before: str, after: str, now: str) -> str | None:
    """Return the file's present text `now` without Lull's change, which once turned the text
    `before` into `after`. Every later change by others is kept.

    None if a later change touches the same lines, so that a person has to decide.
    """
    old, ours, found = (text.splitlines(keepends=True) for text in (before, after, now))
    kept = SequenceMatcher(None, ours, found, autojunk=False).get_matching_blocks()
    result = list(found)
    ways = SequenceMatcher(None, ours, old, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in reversed(ways):
        if tag == "equal":
            continue
        # The lines of ours and a neighbour of each side must stand together in what is there now.
        low, high = max(i1 - 1, 0), min(i2 + 1, len(ours))
        block = next((b for b in kept if b.a <= low and high <= b.a + b.size), None)
        if block is None:
            return None
        shift = block.b - block.a
        result[i1 + shift : i2 + shift] = old[j1:j2]
    return "".join(result)


def difference(before: str, after: str, name: str, *, first: str, second: str) -> str:
    """Return a unified diff of two versions of a file, for people; "" if they are equal. `first`
    and `second` say in words which versions they are.
    """
    lines = unified_diff(
        before.splitlines(),
        after.splitlines(),
        f"{name} ({first})",
        f"{name} ({second})",
        lineterm="",
        n=2,
    )
    return "\n".join(lines)
