"""Parses YAML into a tree of nodes with their positions in the text.

It uses PyYAML's composer, which builds no Python objects.
"""

from __future__ import annotations

from typing import Final

import yaml

from lull.core.clients.tree import DEEPEST, Node, NodeEntry, NodeKind, unchangeable

_TEXT: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "tag:yaml.org,2002:merge"


def read_yaml(text: str) -> Node | None:
    """Return the root node of a YAML text; None if it holds only blanks and comments.

    Raises ClientFileError for text that is not YAML, for several documents, keys that occur twice
    or are not strings, and merge keys, which would hide what a map holds.
    """
    try:
        root = yaml.compose(text, Loader=_ShallowLoader)
        if root is None or (isinstance(root, yaml.ScalarNode) and not root.value):
            return None
        return _Tree().node(root, 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        if mark is None:
            raise unchangeable(f"It is not valid YAML: “{error.problem}”.") from error
        line = mark.line + 1
        raise unchangeable(f"It is not valid YAML in line {line}: “{error.problem}”.") from error
    except (yaml.YAMLError, ValueError) as error:
        raise unchangeable("It is not valid YAML.") from error
    except RecursionError as error:
        raise unchangeable("It is nested too deeply.") from error


class _ShallowLoader(yaml.SafeLoader):
    """Stops at a depth that no configuration has: the scanner's work grows with its square."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise unchangeable(f"It is nested more than {DEEPEST} levels deep.")
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


class _Tree:
    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._aliased: dict[int, int] = {}

    def node(self, node: yaml.Node, depth: int) -> Node:
        if depth > DEEPEST:
            raise unchangeable(f"It is nested more than {DEEPEST} levels deep.")
        start, end = node.start_mark.index, node.end_mark.index
        # A node that is met again is an alias: it stays a reference, so that a chain of aliases
        # cannot grow without limit.
        if id(node) in self._seen:
            number = self._aliased.setdefault(id(node), len(self._aliased))
            return Node(kind=NodeKind.OTHER, start=start, end=end, text=f"*{number}")
        self._seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            kind = NodeKind.TEXT if node.tag == _TEXT else NodeKind.OTHER
            return Node(kind=kind, start=start, end=end, text=node.value)
        if isinstance(node, yaml.SequenceNode):
            items = tuple(self.node(one, depth + 1) for one in node.value)
            flow = bool(node.flow_style)
            return Node(kind=NodeKind.LIST, start=start, end=end, items=items, flow=flow)
        assert isinstance(node, yaml.MappingNode)
        entries = tuple(self._entry(key, value, depth) for key, value in node.value)
        names = [entry.key for entry in entries]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            line = node.start_mark.line + 1
            raise unchangeable(f"{twice!r} appears twice in the same place (from line {line} on).")
        flow = bool(node.flow_style)
        return Node(kind=NodeKind.MAP, start=start, end=end, entries=entries, flow=flow)

    def _entry(self, key: yaml.Node, value: yaml.Node, depth: int) -> NodeEntry:
        line = key.start_mark.line + 1
        if key.tag == _MERGE:
            raise unchangeable(f"Line {line} takes settings over from elsewhere (<<).")
        if not isinstance(key, yaml.ScalarNode):
            raise unchangeable(f"Line {line} has a key that is not text.")
        node = self.node(value, depth + 1)
        return NodeEntry(key=key.value, key_start=key.start_mark.index, node=node)
