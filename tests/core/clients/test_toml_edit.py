"""Tests of setting one text in a TOML file: every other character stays as it was."""

from __future__ import annotations

import tomllib

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from lull.core.clients.toml_edit import set_in_toml
from lull.core.errors import ClientFileError
from tests.core.clients.test_json_edit import is_kept

BASE = ["model_providers", "lull", "base_url"]
KEYS = st.text("ab.-_ é\"'#[]=", min_size=1, max_size=6)
TEXTS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=8) | st.sampled_from(
    ["'''", '"""', "#", "a\nb", "[x]", "k = 1\n[t]\n"]
)
SCALARS = TEXTS | st.integers(-9, 9) | st.booleans() | st.lists(TEXTS, max_size=3)
TABLES = st.dictionaries(KEYS, SCALARS | st.dictionaries(KEYS, SCALARS, max_size=3), max_size=5)


@pytest.mark.slow
@given(TABLES, st.sampled_from(["\n", "\r\n"]))
def test_whatever_the_file_holds_only_the_values_are_added(
    document: dict[str, object], newline: str
) -> None:
    plain = tomlkit.dumps(document)
    if newline == "\r\n" and "\r\n" in plain:
        return
    text = plain.replace("\n", newline)
    before = tomllib.loads(plain)
    new = set_in_toml(set_in_toml(text, BASE, "u"), ["model_provider"], "lull")
    wanted = {**before, "model_provider": "lull", "model_providers": {"lull": {"base_url": "u"}}}
    assert tomllib.loads(new.replace("\r\n", "\n")) == wanted
    assert is_kept(text, new)
    assert set_in_toml(new, BASE, "u") == new
    changed = set_in_toml(new, ["model_provider"], "openai")
    assert tomllib.loads(changed.replace("\r\n", "\n")) == {**wanted, "model_provider": "openai"}


CODEX = """\
# Codex of mine
model = "gpt-5.4" # the big one
approval_policy = "on-request"
notify = [
  "python3", # [not a table]
  "/Users/me/notify.py",
]

[model_providers.azure]
name = "Azure"
base_url = "https://x.example/openai" # keep
query_params = { api-version = "2025-04-01-preview" }

[mcp_servers.docs]
command = "npx"

[projects."/Users/me/my.app"]
trust_level = "trusted"
"""


def test_a_real_file_of_codex_gets_its_lines_where_a_person_would_write_them() -> None:
    new = set_in_toml(CODEX, ["model_provider"], "lull")
    assert new == CODEX.replace("\n]\n", '\n]\nmodel_provider = "lull"\n', 1)
    new = set_in_toml(CODEX, ["model"], "qwen3")
    assert new == CODEX.replace('"gpt-5.4"', '"qwen3"')
    new = set_in_toml(CODEX, ["model_providers", "azure", "wire_api"], "responses")
    assert new == CODEX.replace('view" }\n', 'view" }\nwire_api = "responses"\n')
    assert set_in_toml(CODEX, BASE, "u") == CODEX + '\n[model_providers.lull]\nbase_url = "u"\n'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "\n\n",
        "a = 1",
        "\ufeffa = 1\n",
        "[model_providers.lull]",
        "[model_providers.lull] # mine\n\n\n[b]\n",
        "[[list]]\na = 1\n[[list]]\na = 2\n",
        "a.b = 1\n\"c d\".'e=f' = '[g]'\n",
        'a = """\n[model_providers.lull]\nbase_url = "no"\n"""\n',
    ],
)
def test_odd_files_are_edited_soundly(text: str) -> None:
    new = set_in_toml(text, BASE, "u")
    assert tomllib.loads(new.removeprefix("\ufeff"))["model_providers"]["lull"]["base_url"] == "u"
    assert is_kept(text, new) and set_in_toml(new, BASE, "u") == new


@pytest.mark.parametrize(
    "text",
    [
        "a = ",
        "a = 1\na = 2\n",
        "[t",
        "model_providers = 1\n",
        'model_providers = { azure = { name = "x" } }\n',
        "[[model_providers]]\na = 1\n",
        "[model_providers]\nlull = { name = 'x' }\n",
    ],
)
def test_what_cannot_be_edited_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ClientFileError) as refused:
        set_in_toml(text, BASE, "u")
    assert "\n" not in str(refused.value)
