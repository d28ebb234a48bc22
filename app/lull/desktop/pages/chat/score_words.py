"""Says in words what is known of an answer: its score, by what it was scored, and whether it may
be used for training.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lull.contract.json_object import Json
from lull.desktop.language.words import known_sentence, percent, plain, tr, translated


def _score_words(reward: Json, rules: Sequence[Json]) -> str:
    """Say what is known of an answer, and by what: a rating, the user's own rules, a test, what the
    user did next, or a judge model.

    A kept rule says nothing of the rest of the answer, so it is not told as a chance that the
    answer is good.
    """
    good = float(reward["p_good"]) > 0.5
    share = percent(float(reward["p_good"]))
    match str(reward["source"]):
        case "explicit":
            return tr("You rated it good") if reward["value"] > 0 else tr("You rated it bad")
        case "verifiable" if rules:
            return _rule_words(rules)
        case "verifiable":
            return tr("What it did worked") if good else tr("What it did failed")
        case "implicit":
            return tr("%1 likely to be good, judging by what you did next", share)
        case "judge":
            return tr("%1 likely to be good, scored by a judge model", share)
    return tr("%1 likely to be good", share)


def _rule_words(rules: Sequence[Json]) -> str:
    broken = [one for one in rules if float(one["value"]) < 0]
    # One wish may have several checks.
    told = "; ".join(dict.fromkeys(_one_rule(one) for one in broken or rules))
    if broken:
        return tr("It breaks your rule: %1", told)
    return tr("It keeps your rule: %1. Only this was checked, nothing else of the answer", told)


def _one_rule(signal: Json) -> str:
    """Return a rule in words: what its check wants, or what the user said."""
    if signal.get("code") == "signal-wish":
        return tr("“%1”", plain(str(signal["values"][0])).removesuffix("."))
    return translated(signal).removesuffix(".")


_OF_A_TOOL: Final = re.compile(
    r"The tool reports an error\.|It ended well\.|It ended with exit code -?\d+\."
)
"""What Lull itself says of a tool's result; any other text is a line of the tool's own."""


def _signal_words(signal: Json) -> str:
    text = plain(str(signal["text"]))
    # Of these three the text is the user's next message, which stands below the answer anyway.
    if signal["kind"] == "correction":
        return tr("Lull read your next message as a correction")
    if signal["kind"] == "thanks":
        return tr("Lull read your next message as thanks")
    if signal["kind"] == "regeneration":
        return tr("you asked the same again")
    if signal["kind"] == "tool-result":
        text = known_sentence(text) if _OF_A_TOOL.fullmatch(text) else text
    elif signal["kind"] == "check":  # of a skill, or of what the user said at another answer
        rule = _one_rule(signal)
        kept = float(signal["value"]) > 0
        text = tr("a rule was kept: %1", rule) if kept else tr("a rule was broken: %1", rule)
    elif signal["kind"] != "test-result":  # a line of the test's own
        text = translated(signal)
    return text.removesuffix(".")


def _without_repeated_wishes(signals: list[Json], skills: Sequence[str]) -> list[Json]:
    """Leave out a wish that one of these skills has word for word, where the skill's own check has
    told the same of the answer.
    """
    wishes = [one for one in signals if one.get("code") == "signal-wish"]
    checks = [one for one in signals if one["kind"] == "check" and one not in wishes]
    told = {float(one["value"]) for one in checks}
    return [
        one
        for one in signals
        if one not in wishes
        or float(one["value"]) not in told
        or not any(str(one["values"][0]).strip() in text for text in skills)
    ]


def score_words(turn: Json, skills: Sequence[str] = ()) -> str:
    """Describe in words the score of one chat answer, what the score was derived from, and whether
    the answer may be used for training. `skills` are the texts of the skills in its prompt.
    """
    reward = turn.get("reward")
    found = [signal for signal in turn.get("signals", ()) if signal.get("text")]
    found = _without_repeated_wishes(found, skills)
    by_rule = reward is not None and reward["source"] == "verifiable"
    rules = [signal for signal in found if by_rule and signal["kind"] == "check"]
    worth = tr("Not scored yet") if reward is None else _score_words(reward, rules)
    signals = "; ".join(_signal_words(signal) for signal in found if signal not in rules)
    learns = tr("may be used for training")
    if not turn.get("eligible"):
        why = translated(turn, "why_not")
        learns = tr("not used for training: %1", why) if why else ""
    if reward is None and turn.get("why_not") == "not scored yet":
        learns = ""  # `worth` says the same
    note = translated(turn, "note")
    return " · ".join(part for part in (worth, signals, learns, note) if part)
