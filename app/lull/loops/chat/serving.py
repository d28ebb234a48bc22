"""Defines what is known of a chat request between its arrival and the end of its answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lull.core.chat.client import Client
from lull.core.chat.messages import ChatRequest
from lull.core.chat.trajectory import TurnStamp
from lull.core.skills.prompt_block import Injection
from lull.loops.chat.selected_skills import SelectedSkills


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The state of a chat request between its arrival and the end of its answer."""

    request: ChatRequest
    stamp: TurnStamp
    skills: SelectedSkills
    """The skills in the request's prompt, and what the conversation remembers of their choice."""
    injection: Injection
    """The skills' texts as they are put into the request's body."""
    links: tuple[str, ...]
    session: str
    window_tokens: int
    began_s: float

    @property
    def client(self) -> Client:
        """The client that sent the request."""
        return Client(name=self.stamp.client, apart=self.stamp.apart)

    def without_skills(self, why: str) -> Serving:
        """Return the state of this request where no skills could be put into its body; `why` is the
        reason. The adapter that answers stays as it was chosen.
        """
        return replace(
            self,
            stamp=replace(self.stamp, skills=()),
            skills=self.skills.without_skills(why),
            injection=Injection(system=""),
        )
