"""Renders the Evidence tab of a proposed skill as HTML: who wrote each sentence, the chat turns it
comes from, and every test of it.

A test is a past request that was answered with and without the skill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from lull.contract.json_object import Json
from lull.core.proof.pairs import BY_CHECK
from lull.desktop.language.words import count, decimal, tr
from lull.desktop.shared.skill_words import rule_words, words_diff
from lull.desktop.widgets.text.diff import escaped, marked_html
from lull.desktop.widgets.tokens import Theme

MOST_TURNS: Final = 6


def turn_titles() -> tuple[tuple[str, str], ...]:
    """Return the titles of the turns that a proposed skill comes from, by the turn's key."""
    return (("failures", tr("The answer that went wrong")), ("wish", tr("Your correction")))


def turns_of(proposal: Json) -> list[str]:
    """Return the ids of the chat turns that the Evidence tab shows for a proposed skill: a few with
    the answers that went wrong, a few with the user's corrections.
    """
    turns = proposal.get("turns") or {}
    return [turn for kind, _ in turn_titles() for turn in turns.get(kind, [])[:MOST_TURNS]]


def rule_html(proposal: Json, *, whole: bool) -> str:
    """Render what an edit of a skill changes, and with `whole` all that the skill asks for.

    What the user cannot read elsewhere on the page is here, so that nothing is approved unread.
    """
    body, before = str(proposal.get("body") or ""), proposal.get("before")
    parts = []
    if whole:
        parts.append(
            f"<h4>{escaped(tr('What it asks for'))}</h4><p>{escaped(rule_words(body))}</p>"
        )
    if before and proposal["kind"] == "edit":
        text = escaped(rule_words(str(before)))
        parts.append(f"<h4>{escaped(tr('What it asks for until now'))}</h4><p>{text}</p>")
    return "".join(parts)


def text_diff(proposal: Json) -> str:
    """Return a unified diff of what the skill says before and after the proposal, as a person reads
    it: not of the file with its settings, which “Show the file” shows.
    """
    if proposal["kind"] == "retire":
        return words_diff(proposal.get("said_before") or proposal, None)
    return words_diff(proposal.get("said_before"), proposal)


def sources_html(proposal: Json, theme: Theme) -> str:
    """Render each sentence of a proposed skill with its author (the user, Lull or somebody else);
    what the user typed word for word is highlighted.
    """
    words = {
        "yours": tr("Your words"),
        "derived": tr("Written by Lull from your words (what you typed is marked)"),
        "lull": tr("Written by Lull"),
        "others": tr("From someone else's text (not you)"),
    }
    parts = [f"<h4>{escaped(tr('Where each sentence comes from'))}</h4>"]
    for trace in proposal.get("provenance") or ():
        whose = str(trace.get("whose") or "lull")
        colour = theme.bad if whose == "others" else theme.muted
        sentence = marked_html(str(trace["sentence"]), list(trace.get("quoted") or ()), theme)
        parts.append(
            f"<p>{tr('“%1”', sentence)}<br><span style='color:{colour}'>"
            f"{escaped(words.get(whose, whose))}</span></p>"
        )
    sentences = {str(trace["sentence"]).strip() for trace in proposal.get("provenance") or ()}
    if proposal.get("wish") and str(proposal["wish"]).strip() not in sentences:
        parts.append(f"<h4>{escaped(tr('What you want, as read by Lull'))}</h4>")
        parts.append(f"<p>{escaped(proposal['wish'])}</p>")
    return "".join(parts)


def turns_html(proposal: Json, turns: Mapping[str, Json | None], theme: Theme) -> str:
    """Render the chat turns that a proposed skill was made from, with the user's quoted words
    highlighted.
    """
    passages = [run for t in proposal.get("provenance") or () for run in t.get("quoted") or ()]
    parts = []
    for kind, title in turn_titles():
        for turn in (proposal.get("turns") or {}).get(kind, [])[:MOST_TURNS]:
            parts.append(f"<h4>{escaped(title)}</h4>")
            parts.append(_turn(turn, turns, passages, theme))
    return "".join(parts)


def _turn(
    turn: str, turns: Mapping[str, Json | None], passages: Sequence[str], theme: Theme
) -> str:
    found = turns.get(turn)
    if found is None:
        there = tr("It is no longer stored.") if turn in turns else tr("Loading…")
        return _muted(there, theme)
    asked = marked_html(str(found.get("request", "")), passages, theme)
    answered = marked_html(str(found.get("answer", "")), passages, theme)
    return _part(tr("Asked"), asked, theme) + _part(tr("Answered"), answered, theme)


def pairs_html(pairs: Sequence[Json] | None, turns: Mapping[str, Json | None], theme: Theme) -> str:
    """Render every test of a proposed skill: the past request, its answers with and without the
    skill, and who scored them.
    """
    parts = [f"<h4>{escaped(tr('Every test, to read for yourself'))}</h4>"]
    if pairs is None:
        return parts[0] + _muted(tr("Loading…"), theme)
    if not pairs:
        words = tr(
            "Nothing has been tested yet. “Try it…” shows both answers to a request of yours."
        )
        return parts[0] + _muted(words, theme)
    for number, pair in enumerate(pairs, 1):
        asked = turns.get(str(pair["turn"])) or {}
        head = tr("Test %1: %2", number, result_words(pair))
        parts.append(f"<p><b>{escaped(head)}</b><br>{_by(pair, theme)}</p>")
        if asked:
            parts.append(_part(tr("Asked"), escaped(str(asked.get("request", ""))), theme))
        if not pair["kept"]:
            parts.append(_muted(tr("The answers of this test were not kept."), theme))
            continue
        parts.append(_beside(pair, theme))
    return "".join(parts)


def _beside(pair: Json, theme: Theme) -> str:
    """Render the two answers of a test side by side."""
    sides = ((tr("Without the skill"), pair["without"]), (tr("With the skill"), pair["with"]))
    cells = []
    for title, side in sides:
        answer = escaped(str(side["answer"])) or escaped(tr("(no text)"))
        said = _part(f"{title} ({side['score']:g})", answer, theme)
        cells.append(f"<td width='50%' valign='top'>{said}</td>")
    return f"<table width='100%' cellpadding='4'><tr>{''.join(cells)}</tr></table>"


def figures_html(proposal: Json, theme: Theme) -> str:
    """Render how strong the evidence for a proposed skill is, as the figure by which it is decided,
    and what that figure means; "" if nothing was tested.
    """
    evidence = proposal.get("evidence") or {}
    if proposal["kind"] == "retire" or not evidence.get("pairs"):
        return ""
    strength, needed = float(evidence["e_value"]), float(evidence.get("needs_e_value") or 20)
    shown = tr("over 1,000") if strength > 1_000 else decimal(strength, 1)
    said = tr("Strength of the evidence: %1. From %2 on it is enough.", shown, count(int(needed)))
    about = tr(
        "This is an e-value. It is kept like the account of a bet that begins with 1: every try in "
        "which the answer with the skill is better adds to it, every one in which it is worse "
        "takes from it. A skill that does not help gets to %1 by luck in at most one of %1 cases, "
        "however often one looks.",
        count(int(needed)),
    )
    head = f"<h4>{escaped(tr('How sure that is, as a figure'))}</h4>"
    return f"{head}<p>{escaped(said)}</p>{_muted(about, theme)}"


def result_words(pair: Json) -> str:
    """Say which of two answers to one request scored better: the one with the skill or the one
    without.
    """
    without, with_ = float(pair["without"]["score"]), float(pair["with"]["score"])
    if with_ == without:
        return tr("no difference")
    return tr("better with the skill") if with_ > without else tr("worse with the skill")


def scorer_words(scored_by: str) -> str:
    """Say who scored a pair of answers (with and without a skill): the user, a judge model or an
    automatic check.
    """
    if scored_by == "user":
        return tr("Scored by you")
    if scored_by == "same words":
        return tr("Not scored: both answers were the same")
    if scored_by.startswith("judge:"):
        return tr("Scored by a judge model: %1", scored_by.removeprefix("judge:"))
    if scored_by == BY_CHECK:
        return tr("Scored by its own check")
    return tr("Scored by a check: %1", scored_by.removeprefix("verifier:"))


def _by(pair: Json, theme: Theme) -> str:
    part = {"success": tr("A request that went well before"), "sibling": tr("A similar request")}
    words = part.get(str(pair["part"]), tr("The request that went wrong"))
    said = escaped(f"{words} · {scorer_words(str(pair['scored_by']))}")
    return f"<span style='color:{theme.muted}'>{said}</span>"


def _part(title: str, html: str, theme: Theme) -> str:
    return f"<p><span style='color:{theme.muted}'>{escaped(title)}</span><br>{html}</p>"


def _muted(words: str, theme: Theme) -> str:
    return f"<p style='color:{theme.muted}'>{escaped(words)}</p>"
