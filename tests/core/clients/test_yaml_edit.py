"""Tests of setting values in a YAML file: every other character stays as it was."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lull.backends.clients.yaml_tree import read_yaml
from lull.core.clients.edits import edit_aider, edit_continue
from lull.core.clients.target import ConnectTarget
from lull.core.clients.tree import Node
from lull.core.errors import ClientFileError
from tests.core.clients.test_json_edit import is_kept

TO = ConnectTarget(address="http://127.0.0.1:11435")
KEYS = st.text("abc-_ é", min_size=1, max_size=6)
TEXTS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=10) | st.sampled_from(
    ["a\nb\n", "- x", "a: b", "# no", "null", "1", "a\n\n\n"]
)
VALUES = st.recursive(
    TEXTS | st.integers(-9, 9) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
MODELS = st.lists(
    st.fixed_dictionaries(
        {"name": TEXTS, "provider": st.sampled_from(["ollama", "openai"]), "model": TEXTS},
        optional={
            "apiBase": st.sampled_from(["http://localhost:11434", "http://gpu.local:11434"]),
            "roles": st.lists(st.sampled_from(["chat", "edit"]), max_size=2),
        },
    ),
    max_size=4,
)


def written(document: object, *, flow: bool | None, newline: str) -> str:
    text = yaml.safe_dump(
        document, default_flow_style=flow, allow_unicode=True, sort_keys=False, width=10_000
    )
    return str(text).replace("\n", newline)


@pytest.mark.slow
@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=4),
    st.lists(TEXTS, max_size=3) | st.none(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_aider_gets_one_line_and_keeps_the_rest(
    others: dict[str, Any], variables: list[str] | None, newline: str
) -> None:
    document = others if variables is None else {**others, "set-env": variables}
    text = written(document, flow=False, newline=newline)
    new = edit_aider(text, TO, read_yaml)
    assert is_kept(text, new) and edit_aider(new, TO, read_yaml) == new
    there = yaml.safe_load(new)
    assert there.pop("set-env")[-1] == f"OLLAMA_API_BASE={TO.address}"
    before = yaml.safe_load(text)
    before.pop("set-env", None)
    assert there == before


@pytest.mark.slow
@given(MODELS, st.sampled_from([False, None]), st.sampled_from(["\n", "\r\n"]))
def test_every_local_model_of_continue_gets_the_address_and_no_other(
    models: list[dict[str, Any]], flow: bool | None, newline: str
) -> None:
    head = {"name": "Mine", "version": "0.0.1", "schema": "v1"}
    text = written({**head, "models": models, "rules": ["be brief"]}, flow=flow, newline=newline)
    new = edit_continue(text, TO, read_yaml)
    there = yaml.safe_load(new)
    assert {**there, "models": None} == {**head, "models": None, "rules": ["be brief"]}
    for old, now in zip(yaml.safe_load(text)["models"], there["models"], strict=False):
        here = old["provider"] == "ollama" and "gpu.local" not in old.get("apiBase", "")
        assert now == ({**old, "apiBase": TO.address} if here else old)
    assert any(model.get("apiBase") == TO.address for model in there["models"])
    assert edit_continue(new, TO, read_yaml) == new


CONTINUE = """\
name: My Config # of mine
version: 0.0.1
schema: v1

models:
  # the small one
  - name: Qwen
    provider: ollama # here
    model: qwen3
    roles:
      - chat
      - edit
  - name: Sonnet
    provider: anthropic
    model: claude-sonnet-4
    apiKey: ${{ secrets.ANTHROPIC_API_KEY }}
  - {name: Auto, provider: ollama, model: AUTODETECT}
  - name: Far
    provider: ollama
    apiBase: http://gpu.local:11434
    model: big

context:
  - provider: code
"""


def test_a_real_file_of_continue_gets_its_lines_where_a_person_would_write_them() -> None:
    new = edit_continue(CONTINUE, TO, read_yaml)
    line = f'apiBase: "{TO.address}"'
    assert new == CONTINUE.replace("qwen3\n", f"qwen3\n    {line}\n").replace(
        "AUTODETECT}", f"AUTODETECT, {line}}}"
    )


AIDER = """\
##########################################################
# Sample .aider.conf.yml
## Specify the model to use for the main chat
model: ollama_chat/qwen3

## Specify the api base url
openai-api-base: http://localhost:11434/v1
read: [CONVENTIONS.md, anotherfile.txt]

#set-env:
#  - yyy
"""


def test_a_real_file_of_aider_keeps_its_comments() -> None:
    new = edit_aider(AIDER, TO, read_yaml)
    line = f'set-env:\n  - "OLLAMA_API_BASE={TO.address}"\n'
    moved = AIDER.replace("http://localhost:11434/v1", f'"{TO.address}/v1"')
    assert new == moved + line


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "---\n",
        "set-env: []\n",
        "set-env: [A=b] # one\n",
        "set-env:\nmodel: x\n",
        "set-env: # later\nmodel: x\n",
        "set-env:\n- A=b\n# end",
        "set-env:\n- A=b\n- OLLAMA_API_BASE=http://localhost:11434 # here\nmodel: x\n",
        "model: &m x\nweak-model: *m\n",
        "{model: x, dark-mode: true}",
        "\ufeffmodel: x\n",
        "read: |\n  a\n  b\nset-env:\n  - A=b",
    ],
)
def test_odd_files_are_edited_soundly_or_refused(text: str) -> None:
    try:
        new = edit_aider(text, TO, read_yaml)
    except ClientFileError as refused:
        assert text.startswith("{") and "\n" not in str(refused)
        return
    there = yaml.safe_load(new.removeprefix("\ufeff"))
    assert f"OLLAMA_API_BASE={TO.address}" in there["set-env"]
    assert edit_aider(new, TO, read_yaml) == new


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "a: [",
        "- a\n- b\n",
        "text",
        "a: 1\n---\nb: 2\n",
        "a: 1\na: 2\n",
        "<<: {a: b}\n",
        "? [a]\n: b\n",
        "set-env: {A: b}\n",
        "a: \x07\n",
        "a: " + "[" * 200_000,
        "a: !!python/object:os.system {}\nset-env: {}\n",
        "\t a: b",
    ],
)
def test_what_cannot_be_edited_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ClientFileError) as refused:
        edit_aider(text, TO, read_yaml)
    assert "\n" not in str(refused.value)


def test_a_variable_of_aider_that_stands_alone_is_replaced_or_joined() -> None:
    wanted = f'"OLLAMA_API_BASE={TO.address}"'
    alone = "model: x\nset-env: OLLAMA_API_BASE=http://localhost:11434 # here\n"
    new = edit_aider(alone, TO, read_yaml)
    assert new == f"model: x\nset-env: {wanted} # here\n"
    assert edit_aider(new, TO, read_yaml) == new
    joined = edit_aider("set-env: A=b\n", TO, read_yaml)
    assert joined == f'set-env: ["A=b", {wanted}]\n'
    assert edit_aider(joined, TO, read_yaml) == joined


def test_of_several_variables_of_aider_the_one_that_counts_is_replaced() -> None:
    text = "set-env: [OLLAMA_API_BASE=http://a, B=c, OLLAMA_API_BASE=http://b]\n"
    new = edit_aider(text, TO, read_yaml)
    assert new == text.replace("OLLAMA_API_BASE=http://b", f'"OLLAMA_API_BASE={TO.address}"')
    assert edit_aider(new, TO, read_yaml) == new


def test_many_models_are_read_no_more_often_than_few() -> None:
    reads = []

    def counted(text: str) -> Node | None:
        reads.append(len(text))
        return read_yaml(text)

    models = "".join(f"  - {{name: m{i}, provider: ollama}}\n" for i in range(300))
    new = edit_continue(f"name: x\nmodels:\n{models}", TO, counted)
    assert new.count(TO.address) == 300 and len(reads) == 2


def test_a_chain_of_aliases_costs_nothing() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    text = "\n".join(lines) + "\n"
    assert edit_aider(text, TO, read_yaml).startswith(text)
