"""`lull verify`: checks the proof that a skill (an instruction text) helps by recomputing it from
the stored test results, with or without a running service.
"""

from __future__ import annotations

from typing import ClassVar

from lull.cli.proof.proposal_words import e_words
from lull.cli.shared.context import Context
from lull.cli.shared.control import Control
from lull.cli.shared.showing import reveal_hidden
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import LullError, NotRunning, SettingsError
from lull.core.proof.proof import ProofRule
from lull.core.skills.skill import check_client, check_name


class DoesNotHold(LullError):
    title: ClassVar[str] = "The proof does not hold"


def verify(context: Context) -> int:
    """Run `lull verify`: check a skill's proof again from its stored evidence."""
    options = context.options
    query = {"name": check_name(options.skill), "client": check_client(options.client or "")}
    document = _verified(context, query)
    if document["holds"] or not options.strict:
        context.print_result(document, _words)
        return 0
    error = DoesNotHold(
        reveal_hidden(document["why"]), hint="`lull prove` and `lull review` go on."
    )
    context.print_result({**document, "error": error.as_dict()}, _words)
    context.print_error(error)
    return error.exit_code


def _verified(context: Context, query: dict[str, str]) -> Json:
    from lull.service.proof.verifying import verify_stored_proof

    try:
        return Control(context.paths).get(routes.SKILLS_VERIFY, **query)
    except NotRunning:
        pass
    with context.open_stores() as stores:
        return verify_stored_proof(stores.skills, stores.proposals, rule=_rule(context), **query)


def _rule(context: Context) -> ProofRule:
    """Return the proof rule from the settings, or the default when the settings cannot be read."""
    from lull.config.files import read
    from lull.service.wiring.learning.rules import prove_rule

    try:
        return prove_rule(read(context.paths.settings)).proof
    except SettingsError:
        return ProofRule()


def _words(document: Json) -> str:
    skill, why = document["skill"], document["why"]
    if not document["stored"]:
        return reveal_hidden(f"There is no proof of “{skill}”. {why}")
    said = "holds" if document["holds"] else "does not hold"
    return reveal_hidden(f"The proof of “{skill}” {said}. {why}{_strength(document['evidence'])}")


def _strength(evidence: Json | None) -> str:
    """Return the e-value of a proof, with the one that is wanted; "" without evidence."""
    if evidence is None:
        return ""
    return f" {e_words(evidence['e_value'])} where {evidence['needs_e_value']:.4g} is wanted."
