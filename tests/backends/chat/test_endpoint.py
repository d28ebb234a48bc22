"""Tests of model endpoints: which addresses count as this machine, and how errors are quoted."""

from __future__ import annotations

import pytest

from lull.backends.chat.endpoint import checked_address, is_remote, link_tool_calls, refusal
from lull.core.chat.messages import Message, MessagePart, PartKind, Role, ToolCall, text_message
from lull.core.errors import RequestError, SettingsError, UpstreamDown


@pytest.mark.parametrize(
    ("address", "remote"),
    [
        ("http://127.0.0.1:11434", False),
        ("http://127.8.9.1:1", False),
        ("http://localhost:8080/v1", False),
        ("http://LOCALHOST", False),
        ("http://[::1]:11434", False),
        ("http://[::ffff:127.0.0.1]:1", False),
        ("http://0.0.0.0:11434", False),
        ("https://api.openai.com/v1", True),
        ("http://192.168.1.7:11434", True),
        ("http://10.0.0.1", True),
        ("http://169.254.169.254", True),
        ("http://localhost.example.org", True),
        ("http://127.0.0.1.nip.io", True),
        ("http://127.1:80", True),
        ("http://2130706433", True),
        ("http://[2001:db8::1]", True),
        ("http://gpu.local:11434", True),
    ],
)
def test_only_loopback_is_this_machine(address: str, remote: bool) -> None:
    assert is_remote(address) is remote
    if remote:
        with pytest.raises(SettingsError) as caught:
            checked_address(address, "m", allow_remote=False)
        assert "would send it your conversations" in caught.value.detail
    assert checked_address(f"{address}/", "m", allow_remote=True) == address


def test_the_users_own_upstream_may_be_another_machine_but_not_its_cloud() -> None:
    lan = "http://192.168.1.7:11434"
    assert checked_address(lan, "llama3.2", allow_remote=False, own_upstream=True) == lan
    with pytest.raises(SettingsError, match="runs elsewhere"):
        checked_address(lan, "gpt-oss:120b-cloud", allow_remote=False, own_upstream=True)


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "kimi:cloud"])
def test_a_cloud_model_is_another_machine_behind_a_near_address(model: str) -> None:
    with pytest.raises(SettingsError, match="runs elsewhere"):
        checked_address("http://127.0.0.1:11434", model, allow_remote=False)


@pytest.mark.parametrize(
    "address",
    [
        *("", "127.0.0.1:11434", "file:///etc", "http://", "http://u:p@127.0.0.1", "http://a b"),
        *("http://evil.example\\@127.0.0.1/", "http://127.0.0.1@evil.example", "http://x?q#f"),
    ],
)
def test_what_is_no_plain_address_is_none_at_all(address: str) -> None:
    with pytest.raises(SettingsError, match="not the address"):
        checked_address(address, "m", allow_remote=True)


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (302, RequestError, "redirects to another address"),
        (400, RequestError, "refuses"),
        (401, RequestError, "does not let Lull in"),
        (403, RequestError, "does not let Lull in"),
        (404, RequestError, "does not know m"),
        (408, UpstreamDown, "busy"),
        (413, RequestError, "refuses"),
        (422, RequestError, "refuses"),
        (429, UpstreamDown, "busy"),
        (500, UpstreamDown, "has failed"),
        (503, UpstreamDown, "has failed"),
    ],
)
def test_a_status_is_told_in_words(status: int, kind: type[Exception], words: str) -> None:
    error = refusal(status, b'{"error": "so it is"}', name="m", address="http://here")
    assert type(error) is kind
    assert words in error.detail
    assert "http://here" in error.detail
    assert error.hint
    assert status == 302 or error.detail.endswith(": so it is")


@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        (b'{"error": {"message": "no room", "type": "x"}}', ": no room"),
        (b'{"detail": "no room"}', ": no room"),
        (b'{"message": "no\\u001b[31m  room\\n"}', ": no [31m room"),
        (b"plain words", ": plain words"),
        (b"<html>anything</html>", "."),
        (b"", "."),
        (b"[1, 2]", "."),
        (b'{"error": 3}', "."),
        (b"[" * 5000, ": " + "[" * 200),
        (b'{"error": "' + b"x" * 5000 + b'"}', ": " + "x" * 200),
        (b"\xff\xfe bad", ": �� bad"),
        (b'{"error": "wrong key sk-secret-1"}', ": wrong key …"),
    ],
)
def test_a_servers_words_are_quoted_short_and_clean(body: bytes, quoted: str) -> None:
    error = refusal(400, body, name="m", address="a", key="sk-secret-1")
    assert error.detail == f"a refuses the request to m (HTTP 400){quoted}"


def call(name: str, call_id: str = "") -> ToolCall:
    return ToolCall(name=name, arguments="{}", id=call_id)


def result(answers: str) -> Message:
    part = MessagePart(kind=PartKind.TOOL_RESULT, text="rain")
    return Message(role=Role.TOOL, parts=(part,), tool_call_id=answers)


@pytest.mark.parametrize(
    ("calls", "answers", "found"),
    [
        ((call("look", "id_1"), call("say", "id_2")), "id_2", ("id_2", "say")),
        ((call("look"), call("say")), "say", ("call_1", "say")),
        ((call("look"),), "", ("call_0", "look")),
        ((), "id_9", ("id_9", "id_9")),
    ],
    ids=["by id", "by name", "by nothing", "of a call that is not there"],
)
def test_a_tools_result_finds_its_call(
    calls: tuple[ToolCall, ...], answers: str, found: tuple[str, str]
) -> None:
    messages = (Message(role=Role.ASSISTANT, tool_calls=calls), result(answers))
    last = list(link_tool_calls(messages))[-1]
    assert (last.answers_id, last.answers_name) == found


@pytest.mark.parametrize("kind", [PartKind.IMAGE, PartKind.OPAQUE])
def test_a_message_whose_bytes_are_not_kept_is_not_asked_again(kind: PartKind) -> None:
    message = Message(role=Role.USER, parts=(MessagePart(kind=kind, text="sha256:1"),))
    with pytest.raises(RequestError) as caught:
        list(link_tool_calls((text_message(Role.USER, "look"), message)))
    assert caught.value.status == 400
