"""Finds everything derived from a conversation (skills, training runs, adapters) before the user
has it deleted.

turns → proposals → skills → other prompts
      → sampled groups → runs → adapters → runs and adapters trained on top of them
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lull.core.chat.messages import Role
from lull.core.errors import NotFound
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.provenance.authorship import after_last_answer, typed_in
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import SkillKey
from lull.store.adapters.adapter_rows import AdapterOrigin
from lull.store.adapters.adapters import Adapters
from lull.store.chat.deletion_list import ToForget
from lull.store.chat.trajectories import Trajectories, TurnRow
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.rewards import Rewards
from lull.store.forgetting.forgetting import ForgettingRows
from lull.store.proof.proposals import Proposals
from lull.store.skills.skills import Skills
from lull.store.training.training import RunOrigin, Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """The report of what was removed, or would be removed, together with a conversation that the
    user deletes: everything derived from it, such as skills and adapters.
    """

    what: ToForget
    made: tuple[str, ...]
    """Sentences for the user, one for each thing derived from the conversation."""
    left: tuple[Path, ...] = ()
    """Files that may contain text of the conversation and were not checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTables:
    """The database tables that may hold a conversation or something derived from it, such as a
    skill, a training run or an adapter.
    """

    trajectories: Trajectories
    proposals: Proposals
    skills: Skills
    training: Training
    adapters: Adapters
    rewards: Rewards
    feedback: FeedbackRows
    forgetting: ForgettingRows
    """The table that removes the rows, and remembers removals that a crash interrupted."""


class FindDerived:
    """Finds everything derived from a conversation: skills, training runs, adapters and scores of
    answers. Blocking.
    """

    def __init__(self, tables: ForgetTables, *, in_use: LibraryInUse) -> None:
        self._tables = tables
        self._in_use = in_use

    def find(self, conversation: str, *, unread: bool = False) -> Forgotten:
        """Find everything that deleting this conversation would also remove, such as skills and
        adapters made from it. Blocking.

        With `unread` a conversation may be missing in the database, because it was in a damaged
        file; then things are searched by its id alone. Otherwise NotFound is raised.
        """
        try:
            _, turns = self._tables.trajectories.get(conversation)
        except NotFound:
            if not unread:
                raise
            turns = []
        ids = tuple(turn.id for turn in turns)
        proposals = self._taught(set(ids))
        texts = tuple(dict.fromkeys(p.sha256 for p in proposals))
        gone, back = self._skills_of(proposals, set(texts))
        said, owner = self._said(turns), self._owner_of(ids)
        held = self.turns_scored_by_wishes(said, owner)
        runs, adapters = self._trained(conversation, texts, held)
        what = ToForget(
            trajectory=conversation,
            turns=ids,
            owner=owner,
            proposals=tuple(p.id for p in proposals),
            names=tuple(dict.fromkeys(p.key.name for p in proposals)),
            texts=tuple(dict.fromkeys((*texts, *self._versions_of(gone, back)))),
            skills=tuple((key.client, key.name) for key in gone),
            set_back=tuple((key.client, key.name, sha256) for key, sha256 in back.items()),
            runs=tuple(run.id for run in runs),
            adapters=tuple(one.id for one in adapters),
            versions=tuple(one.sha256 for one in adapters if one.sha256),
            said=said,
            held=held,
        )
        return Forgotten(what=what, made=tuple(_told(what, proposals, runs, adapters)))

    def _said(self, turns: Sequence[TurnRow]) -> tuple[str, ...]:
        """Return the texts that the user typed in the conversation, and the wishes heard in
        these."""
        read = self._tables.feedback.of([turn.id for turn in turns])
        rules = [one.findings.rule for one in read.values() if one.findings.rule]
        return tuple(dict.fromkeys((*_said(turns), *rules)))

    def _owner_of(self, turns: Sequence[str]) -> str:
        return next((served.owner for served in self._tables.rewards.served_briefly(turns[:1])), "")

    def turns_scored_by_wishes(self, said: Sequence[str], owner: str) -> tuple[str, ...]:
        """Return the ids of the turns whose answers were scored by whether they fulfil a wish that
        the user stated in one of the texts `said`.

        Only turns of the client `owner` count ("": the clients that share their skills), because at
        other clients other people may have typed the same words.
        """
        return tuple(self._tables.rewards.scored_by_wishes(said, owner=owner))

    def _taught(self, turns: set[str]) -> list[Proposal]:
        """Return the proposals made from this conversation, and those derived from the texts of
        these.
        """
        every = sorted(
            self._tables.proposals.undecided(everything=True), key=lambda p: (p.made_at, p.id)
        )
        found: dict[str, Proposal] = {}
        for proposal in every:
            own = {*proposal.failures, *proposal.wish_turns, *(t.turn for t in proposal.traces)}
            if own & turns or any(_grew_out_of(proposal, other) for other in found.values()):
                found[proposal.id] = proposal
        return list(found.values())

    def _skills_of(
        self, proposals: Sequence[Proposal], texts: set[str]
    ) -> tuple[list[SkillKey], dict[SkillKey, str]]:
        """Return (skills to remove, skills to set back → sha256 of the earlier text)."""
        gone: list[SkillKey] = []
        back: dict[SkillKey, str] = {}
        approved = {p.sha256 for p in proposals if p.status is ProposalStatus.APPROVED}
        for key in self._in_use.library.skills:
            history = self._tables.skills.history(key)  # newest first
            first = next((row for row in reversed(history) if row.sha256 in approved), None)
            if first is None:
                continue
            before = [row for row in history if row.generation < first.generation]
            if before and before[0].sha256 not in texts:
                back[key] = before[0].sha256
            else:
                gone.append(key)
        return gone, back

    def _versions_of(self, gone: Sequence[SkillKey], back: dict[SkillKey, str]) -> list[str]:
        """Return every later text of these skills: an edit keeps most of the text before."""
        kept = self._kept(gone, back)
        found = []
        for key in (*gone, *back):
            for row in self._tables.skills.history(key):
                if key in back and row.sha256 == back[key]:
                    break
                if row.sha256 not in kept:
                    found.append(row.sha256)
        return found

    def _kept(self, gone: Sequence[SkillKey], back: dict[SkillKey, str]) -> set[str]:
        """Return the texts that other skills use too, such as a starter skill of another client."""
        touched = {*gone, *back}
        others = [key for key in self._in_use.library.skills if key not in touched]
        return {
            *back.values(),
            *(r.sha256 for key in others for r in self._tables.skills.history(key)),
        }

    def _trained(
        self, conversation: str, texts: Sequence[str], held: Sequence[str]
    ) -> tuple[list[RunOrigin], list[AdapterOrigin]]:
        """Return the runs and adapters that used the conversation, and all that were trained on top
        of these.

        `held` are other conversations' turns that were scored by its wishes.
        """
        made = self._tables.training.made_of(trajectory=conversation, skills=texts, turns=held)
        runs = {run.id: run for run in made}
        adapters: dict[str, AdapterOrigin] = {}
        every, all_runs = self._tables.adapters.origins(), self._tables.training.origins()
        # An adapter whose record is lost no longer names its run, but the run names it.
        made_by = {run.adapter: run.id for run in all_runs}
        while True:
            before = len(runs) + len(adapters)
            for one in every:
                if {one.run, made_by.get(one.id)} & runs.keys() or one.parent in adapters:
                    adapters[one.id] = one
            tainted = {one.sha256 for one in adapters.values() if one.sha256}
            for run in all_runs:
                if run.root in tainted or run.parent in runs:
                    runs[run.id] = run
            if len(runs) + len(adapters) == before:
                return list(runs.values()), list(adapters.values())


def _grew_out_of(later: Proposal, earlier: Proposal) -> bool:
    """Whether a proposal edits the earlier one's text, or replaced it when the user spoke again."""
    if later.base_sha256 and later.base_sha256 == earlier.sha256:
        return True
    gave_way = earlier.status is ProposalStatus.STALE and earlier.before is not None
    near = earlier.changed_at <= later.made_at
    same_room = earlier.key.client == later.key.client
    return gave_way and near and same_room and _shares_words(later, earlier)


def _shares_words(later: Proposal, earlier: Proposal) -> bool:
    one, other = (set(p.text.body.lower().split()) for p in (later, earlier))
    return 2 * len(one & other) >= len(other)


def _said(turns: Sequence[TurnRow]) -> tuple[str, ...]:
    """Return each typed message, and the joined text of several messages after one answer."""
    words = [
        typed_in(messages)
        for turn in turns
        for messages in (
            turn.request,
            after_last_answer(turn.request),
            *((one,) for one in turn.request if one.role is Role.USER),
        )
    ]
    return tuple(dict.fromkeys(one for one in words if one))


def _told(
    what: ToForget,
    proposals: Sequence[Proposal],
    runs: Sequence[RunOrigin],
    adapters: Sequence[AdapterOrigin],
) -> list[str]:
    lines = [f"The skill '{name}' is taken out." for _, name in what.skills]
    lines += [f"The skill '{name}' goes back to the text before." for _, name, _ in what.set_back]
    open_ = [p for p in proposals if p.open and p.kind is not ProposalKind.RETIRE]
    lines += [f"The suggested skill '{p.key.name}' is dropped." for p in open_]
    lines += [f"The training run {run.id} ({run.kind}) is deleted." for run in runs]
    lines += [f"The adapter {one.id} ({one.status}) is taken back." for one in adapters]
    return lines
