"""Tests of which models can be trained, why others cannot, and reading Ollama's model details."""

from __future__ import annotations

from typing import Any

import pytest

from lull.core.adapters.published import Agreement
from lull.core.errors import WeightsError
from lull.core.models.learnable import Machine, ModelSize, learnability, needs_gb
from lull.core.models.ollama_model import (
    differing_fields,
    is_published,
    next_number,
    parsed_parameters,
    published_name,
    published_number,
    shown_model,
)
from lull.core.models.weight_form import WeightForm, form_for

BLOB = "/models/blobs/sha256-" + "ab" * 32
LARGE = Machine(memory_bytes=64_000_000_000, share=0.6, form=WeightForm.FOUR_BIT)
SMALL = Machine(memory_bytes=8_000_000_000, share=0.6, form=WeightForm.FOUR_BIT)


def shown(**changes: Any) -> dict[str, Any]:
    kind = changes.pop("architecture", "qwen3")
    answer = {
        "modelfile": f"# a comment\nFROM {BLOB}\nTEMPLATE {{{{ .Prompt }}}}\n",
        "details": {"format": "gguf", "family": kind},
        "capabilities": ["completion", "tools"],
        "model_info": {
            "general.architecture": kind,
            "general.parameter_count": 4_000_000_000,
            f"{kind}.block_count": 36,
            f"{kind}.embedding_length": 2560,
            f"{kind}.feed_forward_length": 9728,
            f"{kind}.vocab_size": 151936,
        },
    }
    return answer | changes


def test_an_ordinary_model_can_learn() -> None:
    found = learnability(shown_model("qwen3:4b", shown()), LARGE)
    assert (found.can_learn, found.why_not, found.architecture) == (True, "", "qwen3")
    assert 4 < found.needs_gb < 10


@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3", "gemma", "gemma2", "gemma3"])
def test_the_six_architectures_can_learn(kind: str) -> None:
    assert learnability(shown_model("m", shown(architecture=kind)), LARGE).can_learn


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"architecture": "qwen35"}, "hybrid attention, qwen35"),
        ({"architecture": "qwen3next"}, "hybrid attention"),
        ({"architecture": "phi3"}, "architecture phi3 cannot learn yet"),
        ({"architecture": "qwen3moe"}, "mixture of experts"),
        ({"architecture": "nomic-bert"}, "embeddings"),
        ({"capabilities": ["embedding"]}, "embeddings"),
        ({"capabilities": ["completion", "vision"]}, "pictures"),
        ({"modelfile": f"FROM {BLOB}\nFROM {BLOB}\n"}, "pictures"),
        ({"modelfile": f"FROM {BLOB}\nADAPTER {BLOB}\n"}, "adapter of its own"),
        ({"modelfile": ""}, "where its weights lie"),
        ({"remote_host": "https://example.org"}, "somebody else's machine"),
        ({"details": {"format": "safetensors"}}, "stored as safetensors"),
    ],
)
def test_a_model_that_cannot_learn_says_why(changes: dict[str, Any], words: str) -> None:
    found = learnability(shown_model("m", shown(**changes)), LARGE)
    assert not found.can_learn
    assert words in found.why_not


def test_size_is_set_against_memory() -> None:
    found = learnability(shown_model("m", shown()), SMALL)
    assert not found.can_learn
    assert f"about {found.needs_gb:.1f} GB" in found.why_not
    assert "4.8 GB" in found.why_not


def test_a_missing_file_is_a_reason_too() -> None:
    found = learnability(shown_model("m", shown()), LARGE, blob_missing="It is gone.")
    assert (found.can_learn, found.why_not) == (False, "It is gone.")


def test_a_version_of_lulls_own_does_not_learn_again() -> None:
    assert not learnability(shown_model("qwen3:4b-lull-v2", shown()), LARGE).can_learn


def test_more_weights_need_more_memory_and_four_bits_less() -> None:
    small, large = (
        ModelSize(weights=1e9, hidden=2048, layers=16),
        ModelSize(weights=2e9, hidden=2048, layers=16),
    )
    assert needs_gb(small, WeightForm.FOUR_BIT) < needs_gb(large, WeightForm.FOUR_BIT)
    assert needs_gb(small, WeightForm.FOUR_BIT) < needs_gb(small, WeightForm.F32) / 3


def test_metal_takes_four_bits_and_the_cpu_what_the_file_says() -> None:
    assert form_for("darwin", "arm64") is WeightForm.FOUR_BIT
    assert {form_for("darwin", "x86_64"), form_for("linux", "aarch64")} == {WeightForm.F32}


def test_an_answer_that_says_nothing_is_refused() -> None:
    with pytest.raises(WeightsError, match="gives no information"):
        shown_model("m", {})


def test_a_template_that_looks_like_a_modelfile_names_no_weights() -> None:
    modelfile = f'FROM {BLOB}\nTEMPLATE """\nFROM here\nADAPTER there\n"""\n'
    found = shown_model("m", shown(modelfile=modelfile))
    assert (found.blobs, found.adapters) == ((BLOB,), ())
    assert found.blob_sha256 == "ab" * 32


def test_parameters_are_read_as_ollama_prints_them() -> None:
    text = (
        'stop                           "<|im_end|>"\n'
        'stop                           "a \\"b\\"\\n\\u00e4\\x41\\\\"\n'
        "temperature                    0.7\n"
        "num_ctx                        4096\n"
        "repeat_penalty                 1e+06\n"
        "use_mmap                       true"
    )
    assert parsed_parameters(text) == {
        "stop": ["<|im_end|>", 'a "b"\näA\\'],
        "temperature": 0.7,
        "num_ctx": 4096,
        "repeat_penalty": 1_000_000,
        "use_mmap": True,
    }
    assert parsed_parameters("") == {}


def test_what_differs_is_named_and_order_is_no_difference() -> None:
    base = {"system": "S", "parameters": {"stop": ["a", "b"], "top_k": 1}}
    assert (
        differing_fields(base, {"system": "S", "parameters": {"top_k": 1, "stop": ["b", "a"]}})
        == ()
    )
    assert differing_fields(base, {"system": "T", "parser": "p"}) == (
        "system",
        "parameters",
        "parser",
    )


def test_names_of_versions() -> None:
    assert published_name("Qwen3:4b", 2) == "qwen3:4b-lull-v2"
    assert published_name("llama3.2:latest", 1) == "llama3.2-lull-v1"
    assert published_number("llama3.2-lull-v12:latest") == 12
    assert not is_published("llama3.2-lull-v0")
    assert not is_published("my-lull-vacation")
    names = ["qwen3:4b", "qwen3:4b-lull-v3", "qwen3-lull-v9:latest", "x-lull-v4:latest"]
    assert next_number("qwen3:4b", names) == 4
    assert next_number("x", names) == 5
    assert next_number("fresh", names) == 1


def test_a_version_must_be_as_like_as_the_base_is() -> None:
    assert Agreement(gap=0.04, base_gap=0.0, prompts=5).holds
    assert Agreement(gap=0.3, base_gap=0.15, prompts=5).holds
    assert not Agreement(gap=0.3, base_gap=0.01, prompts=5).holds
    assert not Agreement(gap=0.0, base_gap=0.0, prompts=1).holds
