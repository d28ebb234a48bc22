"""Says how a proposed skill did in its tests, how sure that is, why it is not called better, and
what the user can do then.

Figures are said where they tell something: a result that luck explains well has no odds.
"""

from __future__ import annotations

from typing import Final

from lull.contract.json_object import Json
from lull.core.proof.proof import ProofRule
from lull.core.proof.review_state import ReviewState
from lull.desktop.language.words import count, counted, percent, tr, translated
from lull.desktop.pages.review.approval_words import (
    accepted_at_last_look,
    harm_checks,
    is_half_tested,
    reason_words,
    standing,
    waits_for_picks,
)
from lull.desktop.shared.testing.running_tests import line_words, waits_in_line

OPEN_E: Final = 5.0
"""E-value below which a result is called one that could well be luck."""
SUSPECT_E: Final = ProofRule().suspect_e


def evidence_words(proposal: Json) -> str:
    """Describe in one or two sentences how a proposed skill did in its tests, or why it was not
    tested.
    """
    evidence = proposal.get("evidence") or {}
    if proposal["kind"] == "retire":
        return reason_words(proposal)
    if not evidence.get("pairs"):
        return _untested_words(proposal, evidence)
    stands = _stands_words(proposal)
    benefit = evidence["pairs"] - evidence.get("success_pairs", 0)
    counts = _counts_words(evidence, benefit)
    checks = harm_checks(proposal)
    if checks:
        helps = tr("It helps. Now checking that it spoils nothing else: %1 of %2.", *checks)
        said = [helps, f"{counts}."]
    else:
        said = [tr("%1: %2", counts, _clear_words(proposal))]
    requests = counted(evidence["requests"], "%1 request", "%1 requests")
    said.append(tr("Tested on %1, each time answered with and without the skill.", requests))
    said.append(_kept_words(evidence, benefit))
    if evidence.get("success_pairs"):
        held = evidence["success_pairs"] - evidence.get("success_losses", 0)
        said.append(
            tr(
                "%1 of %2 answers that were good before stayed good.",
                *(held, evidence["success_pairs"]),
            )
        )
    return " ".join(words for words in (stands, *said) if words)


def _stands_words(proposal: Json) -> str:
    """Say that a begun test does not go on now, and why; else ""."""
    if waits_in_line(proposal):
        return f"{line_words(proposal)}."
    if proposal.get("stopped") and standing(proposal) is ReviewState.UNTESTED:
        return tr("You stopped its test; “Test now” goes on.")
    return ""


def _counts_words(evidence: Json, benefit: int) -> str:
    """Say in how many tries a proposed skill's answers were better, and in how many worse."""
    tries = counted(benefit, "%1 try", "%1 tries")
    return tr("Better in %1 of %2, worse in %3", evidence["wins"], tries, evidence["losses"])


def _clear_words(proposal: Json) -> str:
    """Say whether a proposed skill's tests are clear enough to trust, and if not, what is missing;
    a clause that follows the counts.
    """
    evidence = proposal["evidence"]
    if standing(proposal) is ReviewState.PROVED:
        if accepted_at_last_look(proposal):
            return tr("close, and a final draw accepted it.")
        return tr("clear enough to trust.")
    if standing(proposal) is ReviewState.NOT_BETTER:
        return tr("not enough to trust it.")
    if evidence.get("shown_by"):
        return tr("clear enough that it helps; whether it spoils other answers is not clear yet.")
    more = int(evidence.get("wins_wanted") or 0)
    if waits_for_picks(proposal):
        more = int((evidence.get("picks") or {}).get("wanted") or 0)
    if standing(proposal) is not ReviewState.UNTESTED and not waits_for_picks(proposal):
        more = 0  # nothing is tried any more
    if not 0 < more <= int(evidence.get("most_pairs") or 0) - evidence["pairs"]:
        return tr("not clear enough to trust.")
    return counted(
        more,
        "not clear enough yet; %1 more good try is needed.",
        "not clear enough yet; %1 more good tries are needed.",
    )


def _kept_words(evidence: Json, benefit: int) -> str:
    """Say how often answers kept the rule with the skill and without it, where the tests tell it;
    else "".
    """
    kept, same = evidence.get("kept"), benefit - evidence["wins"] - evidence["losses"]
    if not kept:
        return ""
    said = tr(
        "Your rule was kept in %1 of %2 answers with the skill, and in %3 of %2 without.",
        *(kept["with"], kept["pairs"], kept["without"]),
    )
    said = " ".join([said, *(_part_words(part) for part in kept.get("parts") or () if part["of"])])
    if not same:
        return said
    rest = [
        counted(
            int(kept["both"]),
            "In %1 try the rule was kept both with and without the skill.",
            "In %1 tries the rule was kept both with and without the skill.",
        ),
        counted(
            int(kept["neither"]),
            "In %1 try the rule was broken both with and without the skill.",
            "In %1 tries the rule was broken both with and without the skill.",
        ),
    ]
    told = (words for words, n in zip(rest, (kept["both"], kept["neither"]), strict=True) if n)
    return " ".join([said, *told])


def _part_words(part: Json) -> str:
    """Say of one part of a rule how often the answers with the skill kept it."""
    return tr("“%1”: %2 of %3 with the skill.", translated(part, "check"), part["kept"], part["of"])


def _untested_words(proposal: Json, evidence: Json) -> str:
    if waits_for_picks(proposal):
        who = tr("No check and no model can tell whether it helps; you can, by comparing answers.")
        if proposal.get("check"):
            who = tr("Its check could not tell whether it helps; you can, by comparing answers.")
        return f"{who} {goal_words(evidence.get('picks') or {})}"
    if proposal.get("testing"):
        return tr("It is being tested now.")
    if waits_in_line(proposal):
        return tr("%1. It is tested after them.", line_words(proposal))
    if proposal.get("stopped"):
        return tr("Not tested yet: you stopped its test. “Test now” goes on.")
    if standing(proposal) is not ReviewState.UNTESTABLE:
        return tr("Not tested yet. It is tested when you're away, or when you press “Test now”.")
    if proposal.get("origin") == "file":
        return tr("Can't be tested: it comes from a file, and no request of yours is behind it.")
    return tr(
        "Can't be tested automatically: nothing here can score its answers. Choose a "
        "model to judge them."
    )


def goal_words(picks: Json) -> str:
    """Say how many comparisons by the user are enough to prove a skill, and how many it can take;
    `picks` is what the service says about them.
    """
    wanted, sitting = int(picks.get("wanted") or 6), int(picks.get("sitting") or 12)
    said = counted(
        wanted,
        "%1 pick for the skill is enough.",
        "%1 picks for the skill are enough.",
    )
    most = int(picks.get("most") or 0)
    if most <= wanted:
        return said
    if most <= sitting:
        return f"{said} {tr('If your picks differ, it takes at most %1.', count(most))}"
    further = tr(
        "If your picks differ, it takes more: at most %1 at a time and %2 in all. You can stop "
        "whenever you like; what you picked counts.",
        *(count(sitting), count(most)),
    )
    return f"{said} {further}"


def why_not_better(proposal: Json) -> str:
    """Say in a sentence why the tests of a proposed skill did not show that it helps; "" if that is
    not its state.
    """
    evidence = proposal.get("evidence") or {}
    if standing(proposal) is not ReviewState.NOT_BETTER or waits_for_picks(proposal):
        return ""
    wins, losses = int(evidence.get("wins") or 0), int(evidence.get("losses") or 0)
    if evidence.get("shown_by"):
        if evidence.get("success_losses") or evidence["harm_e_value"] >= SUSPECT_E:
            return tr("It helped, but answers that were good before may get worse with it.")
        return tr(
            "It helped, but too few requests that went well before could be repeated to see "
            "whether it makes those answers worse."
        )
    kept = evidence.get("kept") or {}
    if kept and not kept["with"]:
        return tr(
            "Your model did not keep this rule in any of %1 tries, so the test ended. Another "
            "model may follow it.",
            count(kept["pairs"]),
        )
    if kept and kept["both"] == kept["pairs"]:
        return tr("Your model keeps this rule without the skill, too.")
    if not wins + losses:
        return tr("With the skill the answers were scored the same as without it.")
    if losses >= wins:
        return tr("With the skill answers got worse at least as often as better.")
    return tr("It was better more often than worse, but so seldom that it can be luck.")


def what_now(proposal: Json) -> str:
    """Say what the user can do with a proposed skill that tests did not or cannot show to help; ""
    for any other.
    """
    if waits_for_picks(proposal):
        return ""
    match standing(proposal):
        case ReviewState.NOT_BETTER:
            return tr(
                "You can try it on a request of your own, edit its text (then it is tested "
                "again), reject it, or snooze it. It is used only if you approve it."
            )
        case ReviewState.UNTESTABLE:
            return tr(
                "You can try it on a request of your own and judge for yourself, edit its text, "
                "reject it, or snooze it. It is used only if you approve it."
            )
    return ""


def confirmation_reason(proposal: Json) -> str:
    """Explain to the user why the approval of a proposed skill has to be confirmed; "" if it need
    not be.
    """
    if proposal.get("needs") == "picks":
        return tr(
            "Only you can tell whether it helps, and you have not compared enough of its answers "
            "yet."
        )
    reason = reason_words(proposal).rstrip(".")
    match standing(proposal):
        case ReviewState.UNTESTED if harm_checks(proposal):
            return tr("It helps, but whether it spoils other answers is not known yet.")
        case ReviewState.UNTESTED if is_half_tested(proposal):
            return tr("Its tests are not finished, so it isn't known yet whether it helps.")
        case ReviewState.UNTESTED:
            return tr("It has not been tested yet, so nobody knows whether it helps.")
        case ReviewState.NOT_BETTER:
            return f"{tr('It was tested, and no benefit was shown.')} {why_not_better(proposal)}"
        case ReviewState.UNTESTABLE:
            return tr("It can't be tested automatically, so nobody knows whether it helps.")
        case ReviewState.QUARANTINED:
            return tr("It is quarantined: %1.", reason)
        case ReviewState.OUT_OF_DATE:
            return tr("The skill changed after this was suggested.")
    return ""


def odds_words(proposal: Json) -> str:
    """Say how sure a proposed skill's test result is: in words while luck explains it well, and in
    figures once it does not.
    """
    evidence = proposal.get("evidence") or {}
    if not evidence.get("pairs") or standing(proposal) is ReviewState.NOT_BETTER:
        return _look_words(evidence)
    # Its own figures have not decided, or what they show is said already.
    told = accepted_at_last_look(proposal) or harm_checks(proposal)
    said = ["" if told else _luck_words(evidence), _look_words(evidence), _harm_words(evidence)]
    return " ".join(words for words in said if words)


def _luck_words(evidence: Json) -> str:
    odds, needed = float(evidence["e_value"]), float(evidence.get("needs_e_value") or 20)
    if odds < OPEN_E:
        return tr("So far this could well be luck.")
    if odds < needed:
        return tr("This is more than luck would usually do, but not yet enough to be sure.")
    shown = evidence.get("better") or {}
    if shown.get("above") is None or percent(shown["above"]) == percent(0.5):
        return _rule_words(needed)  # what luck gives would be said twice
    figures = tr(
        "With the same certainty (%1), it is better in more than %2 of the tests that differ; luck "
        "alone gives 50%. (%3 tests differed.)",
        *(percent(1 - 1 / needed), percent(shown["above"]), shown["n"]),
    )
    return f"{_rule_words(needed)} {figures}"


def _rule_words(needed: float) -> str:
    return tr(
        "That is enough: a skill that does not help gets this far by luck at most once in %1 "
        "times.",
        count(int(needed)),
    )


def _harm_words(evidence: Json) -> str:
    harm, needed = float(evidence["harm_e_value"]), float(evidence.get("needs_e_value") or 20)
    if harm < SUSPECT_E:
        return ""
    if harm < needed:
        return tr("It may make answers worse that were good before; that is not certain.")
    return tr("It makes answers worse that were good before.")


def _look_words(evidence: Json) -> str:
    look = evidence.get("last_look")
    if not look:
        return ""
    words = (
        "Its %1 tests were used up without a clear result; a final draw, with a %2 chance "
        "of accepting it, went against it."
    )
    if look["accepted"]:
        words = (
            "Its %1 tests were used up without a clear result; a final draw, with a %2 "
            "chance of accepting it, accepted it."
        )
    said = tr(words, look["after"], percent(look["chance"]))
    if not look["accepted"]:
        return said
    needed = float(evidence.get("needs_e_value") or 20)
    rule = tr(
        "A skill that does not help is accepted at most once in %1 times, this draw included.",
        count(int(needed)),
    )
    return f"{said} {rule}"
