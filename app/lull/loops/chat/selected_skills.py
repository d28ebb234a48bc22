"""Defines the skills (instruction texts) that were chosen for the prompt of one turn."""

from __future__ import annotations

from dataclasses import dataclass

from lull.core.adapters.adapter import decides_adapter
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.context_window import TokenRate
from lull.core.chat.messages import ChatRequest
from lull.core.chat.trajectory import NOTHING_KNOWN, Selection, Suffix
from lull.core.skills.prompt_block import Injection
from lull.core.skills.skill import SkillKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedSkills:
    """The skills (instruction texts) chosen for the prompt of one turn."""

    selection: Selection
    suffixes: tuple[Suffix, ...] = ()
    known: int = NOTHING_KNOWN
    """Generation (version number) of the skill library in which the skills were looked up."""
    joined: tuple[SkillKey, ...] = ()
    """Skills that were first added to the conversation's prompt with this turn."""
    why: str = ""
    """Why this turn's prompt has no skills; "" if it has some, or if nothing is known of it because
    the library has changed since skills were last looked up.
    """

    @property
    def shas(self) -> frozenset[str]:
        """The sha256 of every skill (an instruction text) in the prompt."""
        suffixed = (skill.sha256 for suffix in self.suffixes for skill in suffix.skills)
        return frozenset((*(skill.sha256 for skill in self.selection.skills), *suffixed))

    def without_skills(self, why: str) -> SelectedSkills:
        """Return a copy of this selection without skills, for a turn into whose request body they
        could not be written; `why` is the reason.

        The copy still says which skills were trained into the adapter, and by which draw the
        adapter was chosen.
        """
        was = self.selection
        assignments = tuple(one for one in was.assignments if decides_adapter(one))
        selection = Selection(why=why, assignments=assignments, learned=was.learned)
        return SelectedSkills(selection=selection, known=self.known, why=why)

    def tokens(self, rate: TokenRate) -> int:
        """Return the tokens taken by the prompt's skills and by the model's own SYSTEM text before
        these.
        """
        texts = [self.selection.block, self.selection.model_system]
        texts += [suffix.text for suffix in self.suffixes]
        return sum(rate.text_tokens(text) for text in texts if text)

    def unlearned_by(self, model: ModelFacts | None) -> frozenset[str]:
        """Return the sha256 of skills learned by the adapter that began the conversation but not by
        the current one. They join the prompt at once.
        """
        if model is None or not self.selection.learned:
            return frozenset()
        return frozenset(self.selection.learned) - model.learned

    def injection(self, request: ChatRequest) -> Injection:
        """Return the texts to add to a request for these skills: a block for the system prompt, and
        texts to put before and after the text of user messages.
        """
        own = self.selection.model_system if request.system is None else ""
        return Injection(
            system=self.selection.block,
            model_system=own,
            suffixes=tuple((one.message, one.text) for one in self.suffixes if not one.head),
            prefixes=tuple((one.message, one.text) for one in self.suffixes if one.head),
        )
