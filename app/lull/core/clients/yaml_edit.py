"""Sets values in a YAML text and keeps every other character: comments, order and layout.

The text is read by a `Reader` that the caller passes in, because parsing YAML needs a library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from lull.core.clients.tree import (
    Node,
    NodeKind,
    Reader,
    line_end,
    line_start,
    newline_of,
    split_bom,
    unchangeable,
)


class YamlText:
    """A YAML text that is edited step by step. After each step the result is parsed and compared
    with the content that it should have.
    """

    def __init__(self, text: str, read: Reader) -> None:
        self._bom, self.text = split_bom(text)
        self._read = read
        self.root = read(self.text)
        if self.root is not None and self.root.kind is not NodeKind.MAP:
            raise unchangeable("It is YAML, but not a list of settings.")

    def __str__(self) -> str:
        return self._bom + self.text

    def put(self, path: Sequence[str | int], key: str, value: str) -> None:
        """Set `key` to a string in the YAML map at this path. The path consists of keys and, for
        lists, indices.
        """
        self._step([([*path, key], value)], _with_key(self.text, self._at(path), key, value))

    def put_each(self, key: str, numbers: Sequence[int], inner: str, value: str) -> None:
        """Set the key `inner` to a string in several maps of the YAML list below `key`; `numbers`
        are the indices of these maps, ascending.
        """
        after = self.text
        for number in reversed(numbers):  # so that the places before stay where they are
            after = _with_key(after, self._at([key, number]), inner, value)
        self._step([([key, number, inner], value) for number in numbers], after)

    def append(self, key: str, item: str | Mapping[str, str]) -> None:
        """Add an item at the end of the YAML list below a top-level key; a missing list is made,
        and a single text becomes a list with it.
        """
        there = None if self.root is None else self.root.get(key)
        if there is not None and there.kind is NodeKind.OTHER and not there.text.strip("~nulNUL"):
            old: list[object] = []
        elif there is None:
            old = []
        elif there.kind is NodeKind.TEXT and isinstance(item, str):
            old = [there.text]
        elif there.kind is NodeKind.LIST:
            old = [one.plain() for one in there.items]
        else:
            raise unchangeable(f"The value of {key} is not a list.", f"{key}: [{_flow(item)}]")
        self._step([([key], [*old, item])], self._append_text(key, there, item))

    def replace(self, node: Node, path: Sequence[str | int], value: str) -> None:
        """Replace the string at this path of keys in the YAML text; `node` is its present value."""
        after = self.text[: node.start] + quoted(value) + self.text[node.end :]
        self._step([(path, value)], after)

    def _at(self, path: Sequence[str | int]) -> Node | None:
        node = self.root
        for step in path:
            assert node is not None
            node = node.items[step] if isinstance(step, int) else node.get(step)
        return node

    def _step(self, wanted: Sequence[tuple[Sequence[str | int], object]], after: str) -> None:
        """Take the text over, if it means the old one with these values changed."""
        expected: object = {} if self.root is None else self.root.plain()
        for path, value in wanted:
            expected = _changed(expected, path, value)
        root = self._read(after) if wanted else self.root
        if root is None or root.plain() != expected:
            path, value = wanted[0]
            where = ".".join(map(str, path))
            raise unchangeable("It is written in an unusual way.", f"{where}: {json.dumps(value)}")
        self.text, self.root = after, root

    def _append_text(self, key: str, there: Node | None, item: str | Mapping[str, str]) -> str:
        text, nl = self.text, newline_of(self.text)
        if there is None:
            return f"{_with_end(text, nl)}{key}:{nl}{_block_item(item, '  ', nl)}"
        if there.kind is NodeKind.OTHER:  # nothing stands behind the key
            place = line_end(text, there.end)
            lines = _block_item(item, "  ", nl)
            tail = text[place:]
            head = text[: there.start].rstrip(" ") if there.text else text[: there.start]
            return f"{head}{text[there.end : place]}{nl}{lines.removesuffix(nl)}{tail}"
        if not there.items:
            single = f"{quoted(there.text)}, " if there.kind is NodeKind.TEXT else ""
            return f"{text[: there.start]}[{single}{_flow(item)}]{text[there.end :]}"
        if there.flow:
            end = there.items[-1].end
            return f"{text[:end]}, {_flow(item)}{text[end:]}"
        leaf = _last_leaf(there)
        place = leaf if leaf and text[leaf - 1] == "\n" else line_end(text, leaf)
        indent = text[line_start(text, there.start) : there.start]
        lines = _block_item(item, indent, nl)
        if place and text[place - 1] == "\n":
            return text[:place] + lines + text[place:]
        return f"{text[:place]}{nl}{lines.removesuffix(nl)}{text[place:]}"


def _with_key(text: str, node: Node | None, key: str, value: str) -> str:
    """The text with a key of a map set; None is the root of a text that holds nothing yet."""
    nl = newline_of(text)
    if node is None:
        return f"{_with_end(text, nl)}{key}: {quoted(value)}{nl}"
    old = node.get(key)
    if old is not None:
        if old.kind is not NodeKind.TEXT:
            raise unchangeable(f"The value of {key} is not a text.", f"{key}: {quoted(value)}")
        return text[: old.start] + quoted(value) + text[old.end :]
    last = node.entries[-1] if node.entries else None
    if last is None:
        return f"{text[: node.start]}{{{key}: {quoted(value)}}}{text[node.end :]}"
    if node.flow:
        return f"{text[: last.node.end]}, {key}: {quoted(value)}{text[last.node.end :]}"
    # Behind a key whose value stands on its own line: the place where nothing can follow.
    short = next((e for e in reversed(node.entries) if e.node.kind is NodeKind.TEXT), last)
    column = short.key_start - line_start(text, short.key_start)
    place = line_end(text, short.node.end)
    return f"{text[:place]}{nl}{' ' * column}{key}: {quoted(value)}{text[place:]}"


def quoted(value: str) -> str:
    """Return the text in double quotes, in a form that means the same in YAML and in JSON."""
    return json.dumps(value, ensure_ascii=False)


def _flow(item: str | Mapping[str, str]) -> str:
    if isinstance(item, str):
        return quoted(item)
    return "{" + ", ".join(f"{key}: {quoted(value)}" for key, value in item.items()) + "}"


def _block_item(item: str | Mapping[str, str], indent: str, nl: str) -> str:
    if isinstance(item, str):
        return f"{indent}- {quoted(item)}{nl}"
    lines = [f"{key}: {quoted(value)}" for key, value in item.items()]
    return f"{indent}- " + f"{nl}{indent}  ".join(lines) + nl


def _with_end(text: str, nl: str) -> str:
    return text if not text or text.endswith("\n") else text + nl


def _last_leaf(node: Node) -> int:
    """Where the last scalar inside a node ends; the node itself ends behind comments too."""
    if node.kind is NodeKind.MAP and node.entries and not node.flow:
        return _last_leaf(node.entries[-1].node)
    if node.kind is NodeKind.LIST and node.items and not node.flow:
        return _last_leaf(node.items[-1])
    return node.end


def _changed(meaning: object, path: Sequence[str | int], value: object) -> object:
    if not path:
        return dict(value) if isinstance(value, Mapping) else value
    head, *rest = path
    if isinstance(head, int):
        assert isinstance(meaning, list)
        return [_changed(one, rest, value) if i == head else one for i, one in enumerate(meaning)]
    assert isinstance(meaning, dict)
    return {**meaning, head: _changed(meaning.get(head), rest, value)}
