"""Reads a user's reply to an answer for feedback as soon as it is recorded, where that needs no
model, and has all other replies wait for the model that reads them later (`hear`).
"""

from __future__ import annotations

from collections.abc import Mapping

from lull.core.chat.messages import Role
from lull.core.chat.model_name import canonical
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import Feedback
from lull.core.feedback.ports import FeedbackReader
from lull.core.ports import Clock
from lull.core.provenance.authorship import typed_in
from lull.store.chat.turn_rows import TurnRow
from lull.store.feedback.feedback import FeedbackRows, WaitingMessage
from lull.store.feedback.reward_rows import newest_words


class FirstHearing:
    """Finds feedback in users' messages where that needs no model, and stores which messages wait
    for one.
    """

    def __init__(
        self, rows: FeedbackRows, *, own: Mapping[str, FeedbackReader], clock: Clock
    ) -> None:
        """The mapping `own` holds, by model name, feedback readers that need no model, such as the
        parser of the built-in model's toy language.
        """
        self._rows = rows
        self._own = {canonical(model): reader for model, reader in own.items()}
        self._clock = clock

    async def feedback_without_model(self, before: TurnRow, turn: TurnRow) -> Feedback | None:
        """Return the feedback in a user's reply to an answer, if it can be found without a model.

        None if the user typed nothing new, or if the message must wait for a model.
        """
        exchange = exchange_of(before, turn)
        known = self._rows.of([turn.id]).get(turn.id)
        if known is not None or not exchange.said.strip():
            return known
        if exchange.said.strip() == exchange.asked.strip():
            return None  # the same request sent again is no feedback in words
        own = self._own.get(canonical(before.model))
        findings = (await own.read([exchange]))[0] if own is not None else None
        now = self._clock.now()
        if own is None or findings is None:
            await self._rows.enqueue([WaitingMessage(turn=turn.id, before=before.id)], at=now)
            return None
        feedback = Feedback(
            turn=turn.id, before=before.id, read_by=own.name, read_at=now, findings=findings
        )
        await self._rows.save([feedback])
        return feedback


def exchange_of(before: TurnRow, turn: TurnRow) -> Exchange:
    """Combine an answer and the user's reply to it into an exchange (question, answer, reply), the
    form in which a feedback reader gets them.

    `turn.request` must hold only the messages that were new in that turn.
    """
    said = "\n".join(
        words
        for message in turn.request
        if message.role is Role.USER and (words := typed_in((message,)))
    )
    return Exchange(asked=newest_words(before.request), answer=before.answer.text, said=said)
