"""Describes proposed skills (instruction texts) as text for the user to decide on: what they
change, how tests went, and which messages they come from.
"""

from __future__ import annotations

from datetime import UTC, datetime

from lull.cli.shared.context import short_time, table
from lull.cli.shared.showing import Paint, reveal_hidden
from lull.contract.json_object import Json
from lull.core.proof.review_state import CAUTION_WORDS, Caution

NOTHING = """\
Nothing to review. Lull suggests a skill when you correct an answer in so many words ("no, use
dashes", "always ..."), or when a few answers of one kind were bad. It is replayed in the next
lull first; `lull prove` does that now."""
HINT = """\
`lull review show ID` shows one, `lull review approve ID --sha256 H` puts it into force;
on a terminal `lull review` goes through them one by one."""

_KINDS = {"new": "New skill", "edit": "Edit of", "retire": "Retire"}
SCOPES = {"all": "for every request", "kind": "for requests like those it comes from"}
_WHOSE = {
    "yours": "your words",
    "derived": "made of your words",
    "lull": "written by Lull",
    "others": "SOMEBODY ELSE (a file, a tool, a page)",
}


def counted(number: int, noun: str, plural: str = "s") -> str:
    """Return a number with its noun, such as "1 pair" or "2 pairs"."""
    return f"{number} {noun}{'' if number == 1 else plural}"


def e_words(e_value: float) -> str:
    """Return an e-value, the strength of a proof's evidence, as short text."""
    return f"e = {e_value:.3g}" if e_value < 1000 else "e over 1000"


def luck_words(e_value: float) -> str:
    """Say how seldom a skill that does not help gets this far by luck: at most once in as many
    times as the e-value says.
    """
    if e_value <= 1:
        return "no better than luck"
    return f"by luck at most once in {'over 1000' if e_value >= 1000 else f'{e_value:.3g}'}"


def status_words(proposal: Json) -> str:
    """Return a proposed skill's status in a few words, with the reason or the test results, such as
    that tests showed a benefit.
    """
    evidence, reason = proposal["evidence"], reveal_hidden(" ".join(proposal["reason"].split()))
    said = f": {reason}" if reason else ""
    match proposal["status"]:
        case "proved":
            return f"proved{by_look_words(evidence)} on {_score(evidence)}"
        case "screened" | "unproved" if proposal["kind"] == "retire":
            return reason or "it waits for you"
        case "screened" | "proving":
            return _test_words(proposal)
        case "unproved" if proposal.get("needs"):
            return f"it waits for you{said}"
        case "unproved":
            return f"UNPROVED{said}"
        case "quarantined":
            return f"QUARANTINED{said}"
        case "stale":
            return f"STALE{said}"
        case "deferred":
            return f"put off; {_score(evidence)}" if evidence["pairs"] else "put off, not proved"
        case "approved":
            return f"approved, generation {proposal['generation']}"
        case status:
            return f"{status}{said}"


def _test_words(proposal: Json) -> str:
    """Say how far a proposed skill's test is that has not ended, or for what it waits."""
    evidence = proposal["evidence"]
    if before := proposal.get("tests_before"):
        return f"it waits for {counted(before, 'other test')}"
    if proposal.get("stopped"):
        return f"stopped by you, {pairs_words(evidence)}; `lull prove {proposal['id']}` goes on"
    if proposal["status"] == "screened":
        return "not proved yet"
    more = extension_words(evidence)
    return f"being proved, {pairs_words(evidence)}{more}: {_score(evidence)}"


def pairs_words(evidence: Json) -> str:
    """Say how many pairs of answers, of those planned, have been generated to test a proposed
    skill.

    A pair answers one past request with and without the skill.
    """
    return f"{evidence['pairs']} of at most {evidence['most_pairs']} pairs"


def extension_words(evidence: Json) -> str:
    """Say in words to how many pairs of answers the test of a proposed skill is extended if the
    planned number of pairs decides nothing.

    Returns "" if the test is not extended.
    """
    most = evidence.get("most_pairs_if_open", 0)
    return f" (up to {most} if still undecided by then)" if most > evidence["most_pairs"] else ""


def by_look_words(evidence: Json) -> str:
    """Return the words that say that the final draw decided a proof; "" if it did not."""
    return " by the final draw" if evidence.get("shown_by") == "last look" else ""


def last_look_words(evidence: Json) -> str:
    """Describe in words the random decision (called the last look) that ended the test of a
    proposed skill; "" if there was none.

    It is made when all planned pairs of answers have been generated without a clear result: the
    stronger the evidence for the skill, the likelier the skill is accepted.
    """
    look = evidence.get("last_look")
    if not look:
        return ""
    fell = "accepted it" if look["accepted"] else "went against it"
    return (
        f"Its {look['after']} pairs were spent before that, so one last look decided:"
        f" {e_words(evidence['e_value'])} is accepted with a chance of {look['chance']:.0%}, and"
        f" the coin, drawn before the first pair, {fell} ({look['coin']:.3f})."
    )


def _score(evidence: Json) -> str:
    return (
        f"{counted(evidence['requests'], 'request')}: {evidence['wins']} won,"
        f" {evidence['losses']} lost; {luck_words(evidence['e_value'])}"
    )


def title(proposal: Json) -> str:
    """Return the one-line title of a proposed skill: what it would do, for whom, and its status."""
    whose = f"client {proposal['client']}" if proposal["client"] else "everybody"
    name = f"{_KINDS.get(proposal['kind'], proposal['kind'])} “{proposal['name']}”"
    return reveal_hidden(f"{name} for {whose}: ") + status_words(proposal)


def proposal_text(proposal: Json, paint: Paint) -> str:
    """Return a text with everything that the user needs to decide on a proposed skill: title, diff,
    test results, what caused it, where its sentences come from, and warnings.
    """
    parts = [
        paint.bold(title(proposal)),
        paint.faint(
            f"{reveal_hidden(proposal['id'])}, made {short_time(proposal['made'])},"
            f" sha256 {proposal['sha256']}"
        ),
        "",
        paint.diff(proposal["diff"]) or "(The text stays as it is.)",
        "",
        *_evidence(proposal, paint),
        *_cause(proposal),
        *_provenance(proposal, paint),
        *(paint.warning(line) for line in _flags(proposal)),
    ]
    return "\n".join(parts)


def _evidence(proposal: Json, paint: Paint) -> list[str]:
    evidence = proposal["evidence"]
    if proposal["kind"] == "retire":
        return []
    if not evidence["pairs"] and proposal.get("needs") == "picks":
        tried = "its check could not tell" if proposal["check"] else "no check can tell"
        return [paint.warning(f"Proof: {tried}, and no model can; your own picks can.")]
    if not evidence["pairs"]:
        return [paint.warning("Proof: nothing was replayed yet, so nobody knows whether it helps.")]
    benefit = evidence["pairs"] - evidence["success_pairs"]
    same = benefit - evidence["wins"] - evidence["losses"]
    lines = [
        f"Proof: {counted(evidence['requests'], 'request')}, replayed"
        f" {counted(benefit, 'time')} without and with the skill:"
        f" {evidence['wins']} better with it, {evidence['losses']} worse, {same} alike.",
        f"  {e_words(evidence['e_value'])} where {evidence['needs_e_value']:.3g} is wanted; a"
        f" useless skill gets there once in {evidence['needs_e_value']:.3g} times at most"
        f"{', last look included' if evidence.get('last_look') else ''}.",
        *(f"  {line}" for line in (last_look_words(evidence),) if line),
    ]
    lines += [
        f"  {reveal_hidden(part['check'])} Kept in {part['kept']} of {part['of']} with the skill."
        for part in (evidence.get("kept") or {}).get("parts", ())
    ]
    if evidence["success_pairs"]:
        lines.append(f"  {_successes(evidence)}")
    lines += [paint.warning(f"  {CAUTION_WORDS[Caution(c)]}") for c in evidence.get("cautions", ())]
    if evidence.get("scored_by"):
        lines.append(f"  Scored by {reveal_hidden(_scorers(evidence['scored_by']))}.")
    return lines


def _scorers(counts: Json) -> str:
    names = {"user": "you", "same words": "nobody, the answers being the same"}
    return ", ".join(f"{names.get(who, who)} ({number})" for who, number in counts.items())


def _successes(evidence: Json) -> str:
    worse = evidence["success_losses"] or "none"
    return (
        f"{counted(evidence['success_pairs'], 'replay')} of past successes, {worse} of them worse"
        f" (for harm {e_words(evidence['harm_e_value'])})."
    )


def _cause(proposal: Json) -> list[str]:
    lines = []
    if proposal["kind"] != "retire":
        scope = SCOPES[proposal.get("scope", "kind")]
        lines.append(f"It is {scope} (`lull review edit --scope` changes that).")
    if proposal["wish"]:
        lines.append(f"You said: “{reveal_hidden(' '.join(proposal['wish'].split()))}”")
    if turns := proposal["turns"]["failures"]:
        more = f" and {len(turns) - 5} more" if len(turns) > 5 else ""
        lines.append(f"It comes from: {reveal_hidden(', '.join(turns[:5]))}{more}")
    if proposal["check"]:
        lines.append(f"A check comes with it: {reveal_hidden(proposal['check'])}")
    return lines


def _provenance(proposal: Json, paint: Paint) -> list[str]:
    if not proposal["provenance"]:
        return []
    lines = ["Who said what:"]
    for one in proposal["provenance"]:
        who = _WHOSE.get(one["whose"], reveal_hidden(one["whose"]))
        turn = f" in {reveal_hidden(one['turn'])}" if one["turn"] else ""
        sentence = reveal_hidden(" ".join(one["sentence"].split()))
        line = f"  {who}{turn}: {sentence}"
        lines.append(paint.bad(line) if one["source"] == "untrusted" else line)
    return lines


def _flags(proposal: Json) -> list[str]:
    lines = []
    for flag in proposal["flags"]:
        quote = f" “{reveal_hidden(' '.join(flag['quote'].split()))}”" if flag.get("quote") else ""
        lines.append(f"Look at this: {reveal_hidden(flag.get('text', ''))}{quote}")
    return lines


def list_words(document: Json) -> str:
    """Return a table of proposed skills as text, followed by the commands to decide on them."""
    faults = faults_words(document["faults"], now=datetime.now(UTC))
    if asleep := len(document.get("snoozed") or ()):
        are = "is" if asleep == 1 else "are"
        faults = [f"{asleep} {are} put off until later.", *faults]
    if not document["proposals"]:
        return "\n".join([NOTHING, *faults])
    rows = [
        (
            p["id"],
            p["kind"],
            p["name"],
            p["client"] or "everybody",
            short_time(p["made"]),
            status_words(p),
        )
        for p in document["proposals"]
    ]
    head = ("SUGGESTION", "KIND", "SKILL", "CLIENT", "MADE", "STATUS")
    return "\n".join([table(rows, head), *faults, HINT])


def faults_words(faults: list[Json], *, now: datetime) -> list[str]:
    """Describe failed attempts to draft a skill: the drafting model's answer could not be used, and
    the same chat turns have led to no proposal since.

    The lines say how many answers there are, what was wrong with the newest, and when Lull tries
    again.
    """
    unsettled = [fault for fault in faults if not fault["settled"]]
    if not unsettled:
        return []
    newest = unsettled[0]
    lines = [
        f"{counted(len(unsettled), 'answer')} of the skill writer could not be used; the failures"
        f" are kept. The newest, {short_time(newest['at'])}: {_one_line(newest['problem'])}"
    ]
    if newest["answer"].strip():
        lines.append(f"  It said: “{_one_line(newest['answer'], 300)}”")
    lines.append(f"  {_again(newest['due'], now)}")
    return lines


def _again(due: str | None, now: datetime) -> str:
    if due is None:
        return "It is not tried again by itself; `lull prove` asks once more."
    if datetime.fromisoformat(due) <= now:
        return "It is tried again in the next quiet minute; `lull prove` asks now."
    return f"It is tried again after {short_time(due)}."


def _one_line(text: str, most: int = 500) -> str:
    line = " ".join(text.split())
    return reveal_hidden(line if len(line) <= most else f"{line[:most]}…")
