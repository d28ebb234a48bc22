"""Tests of the message chain: equal histories have equal links, however a client spells them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.message_chain import (
    canonical,
    link,
    links,
    message_from_json,
    message_to_json,
    root,
)
from lull.core.chat.messages import Message, MessagePart, PartKind, Role, ToolCall
from tests.building import KEY, assistant, user

texts = st.text(max_size=30)
parts = st.builds(MessagePart, kind=st.sampled_from(PartKind), text=texts)
calls = st.builds(ToolCall, name=texts, arguments=texts, id=texts)
messages = st.builds(
    Message,
    role=st.sampled_from(Role),
    parts=st.lists(parts, max_size=3).map(tuple),
    tool_calls=st.lists(calls, max_size=2).map(tuple),
    tool_call_id=texts,
)


@pytest.mark.slow
@given(st.lists(messages, max_size=6), st.lists(messages, max_size=4), st.lists(messages))
def test_equal_prefixes_have_equal_links(
    prefix: list[Message], one: list[Message], other: list[Message]
) -> None:
    first = links(KEY, "c", prefix + one)
    second = links(KEY, "c", prefix + other)
    assert first[: len(prefix)] == second[: len(prefix)]


@pytest.mark.slow
@given(st.lists(messages, min_size=1, max_size=5), messages)
def test_a_changed_message_changes_every_link_after_it(
    history: list[Message], other: Message
) -> None:
    changed = [other, *history[1:]]
    same = canonical(other) == canonical(history[0])
    pairs = zip(links(KEY, "c", history), links(KEY, "c", changed), strict=True)
    assert all((a == b) == same for a, b in pairs)


@given(messages)
def test_a_message_survives_the_store(message: Message) -> None:
    assert message_from_json(message_to_json(message)) == message


def test_clients_and_keys_never_share_a_link() -> None:
    mine = links(KEY, "a", [user("hi")])
    assert mine != links(KEY, "b", [user("hi")])
    assert mine != links(b"another key", "a", [user("hi")])
    assert root(KEY, "a") not in mine


def test_order_matters() -> None:
    assert (
        links(KEY, "c", [user("a"), user("b")])[-1] != links(KEY, "c", [user("b"), user("a")])[-1]
    )


def test_thinking_and_space_around_the_words_are_left_out() -> None:
    thought = Message(
        role=Role.ASSISTANT,
        parts=(
            MessagePart(kind=PartKind.THINKING, text="Hm."),
            MessagePart(kind=PartKind.TEXT, text="\nYes. \n"),
        ),
    )
    assert canonical(thought) == canonical(assistant("Yes."))


def test_thinking_written_into_the_answer_is_left_out_too() -> None:
    inline = assistant("<think>\nHm, <b>.\n</think>\n\nYes.")
    assert canonical(inline) == canonical(assistant("Yes."))
    assert canonical(user("<think>a</think>b")) != canonical(user("b"))
    assert canonical(assistant("No <think>a</think>")) != canonical(assistant("No"))


def test_a_tool_call_is_the_same_in_any_spelling_of_its_json() -> None:
    def call(arguments: str) -> Message:
        return Message(role=Role.ASSISTANT, tool_calls=(ToolCall(name="f", arguments=arguments),))

    assert canonical(call('{"a": 1, "b": [2]}')) == canonical(call('{"b":[2],"a":1}'))
    assert canonical(call('{"a": 1}')) != canonical(call('{"a": 2}'))
    assert canonical(call("not json")) != canonical(call("nor this"))
    assert canonical(call("[" * 100_000))


def test_half_of_a_surrogate_pair_still_has_a_link() -> None:
    broken = user("half \ud83d of a smile")
    assert len(link(KEY, root(KEY, "c"), broken)) == 32
    assert message_from_json(message_to_json(broken)) == broken
