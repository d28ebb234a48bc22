"""Records a turn, a chat request with its answer, once the answer has ended.

The turn is queued for the database, its conversation is kept in memory for the next request, and
what the answer tells is counted: tokens per character of the model, uses of each skill.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict

from lull.core.chat.context_window import TokenRate, was_cut
from lull.core.chat.messages import ChatRequest, Completion, PartKind
from lull.core.chat.trajectory import Turn
from lull.core.ports import Clock
from lull.core.skills.skill import SkillKey
from lull.loops.chat.conversations import Conversations
from lull.loops.chat.known_models import MOST_CLIENTS, remember
from lull.loops.chat.serving import Serving
from lull.store.chat.recording import Prepared
from lull.store.chat.trajectories import Position, Trajectories
from lull.store.skills.skills import Skills

log = logging.getLogger(__name__)

MOST_MODELS = 256
"""Most models whose token rates are remembered."""


class TurnRecorder:
    """Records turns: stores each in the database, keeps its conversation in memory, and counts
    tokens and uses of skills.
    """

    def __init__(
        self,
        trajectories: Trajectories,
        skills: Skills,
        clock: Clock,
        *,
        conversations: Conversations,
        rates: OrderedDict[str, TokenRate],
        uses: OrderedDict[str, dict[SkillKey, int]],
    ) -> None:
        """The turn's conversation is kept in `conversations`; `rates` (tokens per character, by
        model digest) and `uses` (of each skill, by client) are updated in place.
        """
        self._trajectories = trajectories
        self._skills = skills
        self._clock = clock
        self._conversations = conversations
        self._rates = rates
        self._uses = uses

    def record(
        self,
        serving: Serving,
        completion: Completion,
        kept: asyncio.Future[Prepared] | None = None,
    ) -> None:
        """Record a chat request after its answer has ended.

        Never waits and never makes the reply fail.

        `kept` is a future that gives the form in which a long request is stored.
        """
        client = serving.client
        answer_link = self._conversations.answer_link(client, serving.links, completion.message)
        turn = Turn(
            stamp=serving.stamp,
            messages=serving.request.messages,
            links=serving.links,
            answer_link=answer_link,
            completion=completion,
            took_s=self._clock.monotonic_s() - serving.began_s,
            block=serving.skills.selection.block,
            suffixes=serving.skills.suffixes,
            known=serving.skills.known,
            tools=serving.request.tools,
            format=serving.request.format,
            note=self._note(serving, completion),
        )
        position = Position(
            trajectory=serving.stamp.trajectory,
            turns=serving.stamp.number,
            selection=serving.skills.selection,
            suffixes=serving.skills.suffixes,
            known=serving.skills.known,
            adapter=serving.stamp.policy.adapter,
        )
        ends = (answer_link, *serving.links[-1:])
        self._conversations.remember(position, client, serving.session, ends)
        self._store(serving, turn, kept)
        self._count_uses(serving)

    def _store(self, serving: Serving, turn: Turn, kept: asyncio.Future[Prepared] | None) -> None:
        def write(prepared: Prepared | None) -> None:
            self._trajectories.record(
                turn,
                session=serving.session,
                selection=serving.skills.selection,
                prepared=prepared,
            )

        if kept is None:
            write(None if serving.request.outline is None else Prepared())
        elif kept.done():
            write(_prepared(kept))
        else:
            kept.add_done_callback(lambda done: write(_prepared(done)))

    # Token rates and skill uses

    def _note(self, serving: Serving, completion: Completion) -> str:
        request = serving.request
        digest = serving.stamp.policy.model
        rate = self._rates.get(digest, TokenRate())
        added = serving.injection.text
        counted = completion.usage.prompt_tokens
        window = serving.window_tokens
        why = "" if serving.stamp.skills else serving.skills.why
        said = _characters(request)
        if said is None:
            return why  # how many tokens an image takes depends on the model
        characters = said + len(added)
        expected = rate.request_tokens(request) + rate.text_tokens(added)
        if was_cut(
            expected_tokens=expected,
            fewest_tokens=rate.min_tokens(characters),
            counted_tokens=counted,
            window_tokens=window,
        ):
            log.info("the upstream cut a prompt: about %d tokens, %s counted", expected, counted)
            return (
                f"The upstream cut this prompt: about {expected} tokens were sent,"
                f" {counted} were read (the window has {window})."
            )
        if counted and not request.tools:
            updated = rate.updated(characters=characters, tokens=counted)
            remember(self._rates, digest, updated, most=MOST_MODELS)
        return why

    def _count_uses(self, serving: Serving) -> None:
        joined = serving.skills.joined
        if not joined:
            return
        asker = serving.client.identity
        counts = self._uses.get(asker, {})
        remember(self._uses, asker, counts, most=MOST_CLIENTS)
        for key in joined:
            counts[key] = counts.get(key, 0) + 1
        self._skills.count_uses(joined, by=asker, at=serving.stamp.at)


def _prepared(kept: asyncio.Future[Prepared]) -> Prepared:
    """Return a long request's prepared content; empty if preparing failed, so that the turn is
    stored anyway.
    """
    return Prepared() if kept.cancelled() or kept.exception() else kept.result()


def _characters(request: ChatRequest) -> int | None:
    """Number of characters in the request; None where it has images."""
    if request.outline is not None:
        return None if request.outline.images else request.outline.characters
    parts = [part for message in request.messages for part in message.parts]
    if any(part.kind is PartKind.IMAGE for part in parts):
        return None
    return sum(len(part.text) for part in parts)
