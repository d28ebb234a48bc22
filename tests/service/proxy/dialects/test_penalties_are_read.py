"""Tests that repetition penalties of Ollama's and OpenAI's protocols reach the engine."""

from __future__ import annotations

import json

from lull.core.chat.messages import Sampling
from lull.service.proxy.dialects.native_options import read_options
from lull.service.proxy.dialects.openai import read_sampling
from lull.service.proxy.dialects.parts import Fields, read_object

ASKED = {"presence_penalty": 0.5, "frequency_penalty": -0.25}


def fields(body: object) -> Fields:
    return read_object(json.dumps(body).encode(), go_type="T", when_empty="empty")


def test_from_ollamas_options() -> None:
    options = {**ASKED, "repeat_penalty": 1.25, "repeat_last_n": 7}
    wanted = Sampling(
        repeat_penalty=1.25, repeat_last_n=7, presence_penalty=0.5, frequency_penalty=-0.25
    )
    assert read_options(fields({"options": options})) == wanted


def test_from_openais_request() -> None:
    wanted = Sampling(presence_penalty=0.5, frequency_penalty=-0.25)
    assert read_sampling(fields(ASKED)) == wanted
