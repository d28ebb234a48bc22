"""Builders for tests of the core, the store and the loops, on real SQLite and real folders."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from lull.backends.retrieval.skill_index import WordIndex
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.message_chain import link, links
from lull.core.chat.messages import (
    ChatRequest,
    Completion,
    Finish,
    Message,
    Role,
    Sampling,
    Usage,
    text_message,
)
from lull.core.chat.trajectory import PolicyVersion, Turn, TurnStamp
from lull.core.proof.proposal import DECIDABLE, Proposal, ProposalOrigin
from lull.core.skills.prompt_block import Placement
from lull.core.skills.skill import Library
from lull.core.skills.skill_ranking import RetrievalRule
from lull.loops.chat.known_models import KnownModels
from lull.loops.chat.open_turn import TurnOpener
from lull.loops.chat.serving import Serving
from lull.loops.skills.approve import Approve
from lull.loops.skills.edit_proposal import EditProposal
from lull.loops.skills.from_files import FromFiles
from lull.loops.skills.review import Review
from lull.store.chat.trajectories import Trajectories
from lull.store.feedback.rewards import Rewards
from lull.store.forgetting.trash import Removal, Trash
from lull.store.proof.proposals import Proposals
from lull.store.skills.skill_folders import SkillFolders
from lull.store.skills.skills import Skills
from lull.store.sqlite.database import Database
from tests.doubles.fakes import FakeClock, FakeIds

D = TypeVar("D", bound=Database)

KEY = b"a key for tests"
ANYBODY = Client(name="test")
FACTS = ModelFacts(
    digest="sha256:base", window_tokens=8192, system="Be kind.", template_sha256="template"
)


def user(text: str) -> Message:
    return text_message(Role.USER, text)


def assistant(text: str) -> Message:
    return text_message(Role.ASSISTANT, text)


def system(text: str) -> Message:
    return text_message(Role.SYSTEM, text)


def chat(*messages: Message, model: str = "llama3.2", **more: object) -> ChatRequest:
    return ChatRequest(model=model, messages=messages, stream=True, **more)  # type: ignore[arg-type]


def answer(
    text: str, *, finish: Finish = Finish.STOP, prompt_tokens: int | None = None
) -> Completion:
    return Completion(
        message=assistant(text), finish=finish, usage=Usage(prompt_tokens=prompt_tokens)
    )


def turn(
    *messages: Message,
    said: str = "Fine.",
    turn_id: str = "turn_1",
    trajectory: str = "conv_1",
    client: str = "test",
    number: int = 1,
    clock: FakeClock | None = None,
    completion: Completion | None = None,
    key: bytes = KEY,
) -> Turn:
    """Build a finished turn of these messages that the store can record."""
    chain = links(key, client, messages)
    done = completion or answer(said)
    return Turn(
        stamp=TurnStamp(
            turn=turn_id,
            trajectory=trajectory,
            number=number,
            client=client,
            route="/api/chat",
            model="llama3.2",
            policy=PolicyVersion(model="sha256:base", adapter=None, generation=0),
            skills=(),
            template_sha256="template",
            sampling=Sampling(),
            at=(clock or FakeClock()).now(),
        ),
        messages=messages,
        links=tuple(chain),
        answer_link=link(key, chain[-1], done.message),
        completion=done,
        took_s=0.5,
        block="",
        suffixes=(),
        known=0,
    )


async def throw_older(database: Database, oldest: datetime) -> int:
    """Move the conversations that ended before `oldest` to the trash; return how many."""
    ids = database.read(
        lambda connection: [
            row["id"]
            for row in connection.execute(
                "SELECT id FROM trajectories WHERE last < ?", (oldest.isoformat(),)
            )
        ]
    )
    bundle = Removal(why="age", at=oldest.isoformat(), born=0.0, conversations=())
    return await Trash(database.path.parent / "trash", database).move_to_trash(ids, bundle)


@cache
def _as_at_a_first_start() -> bytes:
    """The file that a first start makes; the steps of its layout are taken once in a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lull.db"
        Database(path).close()
        return path.read_bytes()


def database_at(path: Path, opening: Callable[[Path], D] = Database) -> D:
    """Open the database at `path`; where there is none yet, that of a first start is put there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_as_at_a_first_start())
    return opening(path)


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    database = database_at(path)
    try:
        yield database
    finally:
        database.close()


@dataclass
class Home:
    """A home folder with all that a chat request needs; `restart` simulates a new process on it."""

    folder: Path
    rule: RetrievalRule = field(default_factory=RetrievalRule)
    clock: FakeClock = field(default_factory=FakeClock)
    ids: FakeIds = field(default_factory=FakeIds)
    places: dict[str, Placement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.database = database_at(self.folder / "lull.db")
        self.trajectories = Trajectories(self.database, key=KEY)
        self.skills = Skills(self.database, SkillFolders(self.folder))
        self.index = WordIndex()
        self.library = self.skills.library()
        self.proposals = Proposals(self.database)
        self.files = FromFiles(self.skills, self.proposals, clock=self.clock, ids=self.ids)
        self.approve = Approve(self.skills, self.clock, in_use=self, files=self.files)
        self.review = Review(
            self.proposals,
            self.approve,
            EditProposal(
                self.proposals,
                Rewards(self.database),
                in_use=self,
                clock=self.clock,
            ),
            in_use=self,
            proofs=self,
            clock=self.clock,
        )
        self.serve = TurnOpener(
            trajectories=self.trajectories,
            skills=self.skills,
            in_use=self,
            index=self.index,
            clock=self.clock,
            ids=self.ids,
            rule=self.rule,
            models=KnownModels(within_s=0.02, places=self.places),
        )

    def evidence(self, _proposal: Proposal) -> bytes:
        """Implements ProofEvidence: nothing is proved here."""
        return b""

    async def restart(self) -> None:
        await asyncio.to_thread(self.database.close)
        self.start()
        await self.approve.propose_file_edits()
        await self.put_into_use(self.skills.library())

    async def bring_in(self, folder: Path, *, client: str = "") -> None:
        """Import a folder of skills and approve every proposal that comes of it."""
        brought = await self.files.bring_in(folder, client=client)
        for proposal in brought.proposals:
            await self.review.approve(proposal.id, sha256=proposal.sha256)

    async def approve_files(self) -> None:
        """Approve every waiting proposal that came from a file."""
        for proposal in self.review.proposals():
            if proposal.origin is ProposalOrigin.FILE and proposal.status in DECIDABLE:
                await self.review.approve(proposal.id, sha256=proposal.sha256)

    async def put_into_use(self, library: Library) -> None:
        await self.index.follow(library)
        self.library = library

    async def add(self, name: str, description: str, body: str, **more: object) -> None:
        await self.approve.add(name, description=description, body=body, **more)  # type: ignore[arg-type]

    async def open(
        self,
        *messages: Message,
        client: Client = ANYBODY,
        session: str = "",
        injectable: bool = True,
        facts: ModelFacts | None = FACTS,
        request: ChatRequest | None = None,
    ) -> Serving:
        return await self.serve.open(
            request or chat(*messages),
            client=client,
            route="/api/chat",
            session=session,
            injectable=injectable,
            facts=_source(facts),
        )

    async def say(self, *messages: Message, said: str = "Fine.", **more: object) -> Serving:
        """Send a chat request with these messages and answer it with `said`: one whole turn."""
        serving = await self.open(*messages, **more)  # type: ignore[arg-type]
        self.serve.recorder.record(serving, answer(said))
        self.clock.advance(1)
        return serving


def _source(facts: ModelFacts | None) -> Callable[[], ModelFacts | Awaitable[ModelFacts]]:
    async def never() -> ModelFacts:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    return never if facts is None else lambda: facts


def prompt_text(serving: Serving) -> str:
    """The whole prompt as the model reads it, with injected texts where every dialect puts them."""
    injection = serving.injection
    messages = list(serving.request.messages)
    head = injection.system
    if messages and messages[0].role is Role.SYSTEM:
        own = messages.pop(0).text
        head = f"{own}\n\n{head}" if head else own
        shift = 1
    else:
        head = "\n\n".join(t for t in (injection.model_system, head) if t)
        shift = 0
    suffixes: dict[int, str] = {}
    for index, text in injection.suffixes:
        suffixes[index] = suffixes.get(index, "") + f"\n\n{text}"
    prefixes = {index: f"{text}\n\n" for index, text in injection.prefixes}
    lines = [f"<system>{head}"]
    for index, message in enumerate(messages, shift):
        before = prefixes.get(index, "")
        lines.append(f"<{message.role}>{before}{message.text}{suffixes.get(index, '')}")
    return "\n".join(lines)


def bytes_below(folder: Path) -> Iterable[tuple[Path, bytes]]:
    """Path and content of each file below a folder, without files that disappear meanwhile: a
    service may be writing there.
    """
    found = []
    for path in files_below(folder):
        with contextlib.suppress(FileNotFoundError):
            found.append((path, path.read_bytes()))
    return found


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, sorted; unlike `rglob` it does not fail if one disappears."""
    named = (Path(where, name) for where, _, names in os.walk(folder) for name in names)
    return sorted(path for path in named if path.is_file())


def half_written(folder: Path) -> list[Path]:
    """Temporary files not renamed yet: a write is under way, or a process died during one."""
    return [
        path
        for path in files_below(folder)
        if path.name.startswith(".") and path.name.endswith(".tmp")
    ]
