"""Tests of ten corrections in plain English at default settings: heard, proved, approved, kept.

Each is said by a client of its own, so that one rule is looked at at a time. The model is scripted
and obeys only what reached its prompt; everything else is real: the proxy, the small reader, the
proofs, the review.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from tests.e2e.scripted.obedient_model import (
    EMAIL,
    FACT,
    MODEL,
    PYTHON,
    RECIPE,
    TEN,
    ObedientOllama,
    Wish,
)
from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.fixture
def lull(tmp_path: Path) -> Iterator[Lull]:
    with (
        ObedientOllama() as models,
        RunningLull.cleaned_up(tmp_path / "home", upstream=models.address) as made,
    ):
        yield made


def says(service: RunningLull, client: str, *texts: str) -> list[str]:
    """Have one conversation; return the answers."""
    messages: list[Json] = []
    for text in texts:
        messages.append({"role": "user", "content": text})
        body = {"model": MODEL, "stream": False, "messages": messages}
        answer = service.post(f"/c/{client}/api/chat", body)
        assert answer.status == 200, answer
        messages.append(answer.json["message"])
    return [message["content"] for message in messages[1::2]]


def proposal_of(lull: Lull, client: str) -> Json | None:
    found = [p for p in lull.ask("review")["proposals"] if p["client"] == client]
    return found[0] if found else None


@pytest.mark.full
def test_ten_plain_corrections_are_heard_proved_and_kept(lull: Lull) -> None:
    service = lull.serve()
    for number, wish in enumerate(TEN):
        assert not wish.kept(says(service, f"p{number}", wish.asked)[0])
        says(service, f"p{number}", wish.asked, wish.said)
    lull.ask("prove", "--wait")
    proposals = eventually(
        lambda: (
            found
            if len(found := [proposal_of(lull, f"p{n}") for n in range(len(TEN))]) == len(TEN)
            and all(found)
            else None
        )
    )
    waiting = 0
    for number, (wish, proposal) in enumerate(zip(TEN, proposals, strict=True)):
        assert proposal["scope"] == ("all" if wish.general else "kind"), (wish.said, proposal)
        assert wish.said in proposal["body"]
        waiting += _ends_with_evidence(lull, wish, proposal)
        lull.ask("review", "approve", proposal["id"], "--sha256", proposal["sha256"])
        _is_kept(service, f"p{number}", wish, proposal["name"])
    assert waiting <= 3


def _ends_with_evidence(lull: Lull, wish: Wish, proposal: Json) -> int:
    """Check that a proposal is proved by a check (0), or waits for the user's picks (1)."""
    if proposal["status"] == "proved":
        assert proposal["evidence"]["e_value"] >= 20, (wish.said, proposal)
        return 0
    assert not wish.checkable, (wish.said, proposal["status"], proposal["reason"])
    assert proposal["needs"] == "picks", proposal
    return 1


def _is_kept(service: RunningLull, client: str, wish: Wish, name: str) -> None:
    """Check that a wish is kept in its scope, and that no request outside it gets its skill."""
    assert wish.kept(says(service, client, wish.asked)[0]), wish.said
    elsewhere = RECIPE if wish.asked != RECIPE else PYTHON
    says(service, client, elsewhere)
    newest = service.lull.ask("conversations", "--client", client)["conversations"][0]
    turns = service.lull.ask("show", newest["id"])["turns"]
    there = name in [skill["name"] for turn in turns for skill in turn["skills"]]
    assert there is wish.general, wish.said


def test_the_scripted_model_breaks_every_wish_that_is_not_in_its_prompt() -> None:
    from tests.e2e.scripted.obedient_model import answer_to

    for wish in TEN:
        assert not wish.kept(answer_to(wish.asked, ""))
        assert wish.kept(answer_to(wish.asked, wish.said))
    assert EMAIL != FACT
