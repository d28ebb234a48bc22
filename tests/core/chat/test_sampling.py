"""Tests of sampling defaults: what a request leaves open comes from the first that sets it."""

from __future__ import annotations

from lull.core.chat.messages import Sampling


def test_what_is_set_stays_and_what_is_open_comes_from_the_first_that_sets_it() -> None:
    asked = Sampling(temperature=0.0, seed=0, repeat_penalty=1.0)
    own = Sampling(temperature=0.2, max_tokens=512, stop=("###",), repeat_penalty=1.1)
    usual = Sampling(temperature=0.8, top_k=40, max_tokens=9, stop=("no",))
    assert asked.or_else(own, usual) == Sampling(
        temperature=0.0, seed=0, repeat_penalty=1.0, max_tokens=512, stop=("###",), top_k=40
    )


def test_without_defaults_nothing_changes() -> None:
    asked = Sampling(top_p=0.5)
    assert asked.or_else() == asked
