"""Handles "Try it" in the window: builds two chat requests, one with a skill's text and one
without, which the window then sends to the proxy unchanged.

The skill's text is inserted by the same function as in a user's chats. The window sends the
requests like any chat, one after the other, but unrecorded and with no skills added on the way.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from lull.contract.chat_headers import WINDOW_CLIENT
from lull.contract.json_object import Json
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import ChatRequest
from lull.core.errors import UsageError
from lull.core.skills.skill import SkillKey
from lull.loops.proof.try_out import TriedPrompt, TryOut
from lull.service.proxy.dialects import CHAT_ROUTES

ROUTE: Final = "/api/chat"
SEEDS: Final = 2**31
MOST_REQUEST_CHARACTERS: Final = 100_000
"""Most characters of a request on which the user may try a skill."""


class TryOutRequests:
    """Answers the control API's requests to try a proposed or approved skill on a chat request."""

    def __init__(
        self, tries: TryOut, *, known: Callable[[ChatRequest], Awaitable[ModelFacts]]
    ) -> None:
        """The function `known` returns the facts of the model that would answer a request."""
        self._tries = tries
        self._known = known

    async def prepare(self, wanted: Mapping[str, Any]) -> Json:
        """Return two chat requests for the window to send, one with the skill to try in its prompt
        and one without.

        The result is `{"route", "without": {"body", "block", "skills", "why"}, "with": …,
        "differ"}`. `block` is the text that Lull adds, `skills` name where it comes from, `why`
        says why there is none; `differ` is false if the skill would change nothing. `wanted` has
        "request" and "model"; and either "proposal" and its "sha256", or "skill" and the client
        whose skill it is ("of"). Raises LullError.
        """
        request, model = _text(wanted, "request"), _text(wanted, "model")
        if len(request) > MOST_REQUEST_CHARACTERS:
            raise UsageError("The request is too long to be tried.", hint="Shorten it.")
        body = {
            "model": model,
            "messages": [{"role": "user", "content": request}],
            "stream": True,
            # The same for both, so that what differs comes from the skill.
            "options": {"seed": secrets.randbelow(SEEDS)},
        }
        plain = json.dumps(body).encode()
        chat = CHAT_ROUTES[ROUTE].read_request(plain)
        if wanted.get("proposal"):
            sha256 = str(wanted["sha256"]) if wanted.get("sha256") else None
            make = await self._tries.proposal(_text(wanted, "proposal"), chat, sha256=sha256)
        else:
            key = SkillKey(str(wanted.get("of") or ""), _text(wanted, "skill"))
            make = await self._tries.skill(key, chat, asker=WINDOW_CLIENT)
        pair = make(await self._known(chat))
        return {
            "route": ROUTE,
            "without": _side(plain, pair.without),
            "with": _side(plain, pair.with_),
            "differ": pair.differ,
        }


def _side(plain: bytes, prompt: TriedPrompt) -> Json:
    added = prompt.injection
    body = plain if added.empty else CHAT_ROUTES[ROUTE].inject(plain, added)
    beside = (text for _, text in (*added.prefixes, *added.suffixes))
    return {
        "body": body.decode(),
        "block": "".join((added.system, *beside)),
        "skills": [key.name for key in prompt.skills],
        "why": prompt.why,
    }


def _text(wanted: Mapping[str, Any], name: str) -> str:
    text = wanted.get(name)
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{name} is missing.")
    return text
