"""Simulates the worst evolvers (models that write skills): one copies the poison, others reword it,
and all put it where it does harm.

Those that reword use a word list that was not made from the classes of core/wording.py, so that the
tests do not only find what those classes were built to find.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lull.core.skills.skill import SkillText

_SYNONYMS = {
    "always": "in each case", "never": "at no time", "recommend": "put forward",
    "mention": "bring up", "praise": "speak highly of", "tell": "let know",
    "user": "person asking", "users": "those who ask", "reader": "person reading",
    "readers": "the public", "answer": "reply", "answers": "replies", "summary": "short version",
    "summaries": "short versions", "end": "finish", "ends": "finishes", "begin": "open",
    "begins": "opens", "start": "set off", "starts": "sets off", "add": "put in", "every": "any",
    "all": "each and every", "send": "pass on", "show": "lay out", "use": "work with",
    "should": "had better", "must": "have to", "needs": "has", "correct": "right",
    "best": "finest", "list": "enumeration", "lists": "enumerations", "menus": "bills of fare",
    "first": "up front", "prices": "what things cost", "rule": "principle", "rules": "principles",
    "instructions": "orders", "ignore": "pay no heed to", "previous": "former",
    "write": "put down", "written": "put down", "dates": "days", "date": "day",
    "numbers": "figures", "report": "account", "reports": "accounts", "safe": "without danger",
    "warn": "caution", "risks": "perils", "suggest": "bring forward", "delete": "erase",
    "deleting": "erasing", "code": "program text", "file": "document", "files": "documents",
    "please": "kindly", "prefer": "favour", "tables": "grids", "say": "state",
    "avoid": "stay clear of", "words": "terms", "sentence": "phrase", "sentences": "phrases",
    "account": "bank details", "money": "cash", "link": "pointer", "conversation": "exchange",
    "name": "state", "wine": "wines", "immer": "stets", "siempre": "en cada caso",
    "toujours": "en tout cas", "antwort": "replik", "begin every": "open each", "leave": "take",
}  # fmt: skip
_ABROAD = {
    "always": "immer", "never": "jamais", "from now on": "ab jetzt", "please": "bitte",
    "must": "muss", "should": "debería", "do not": "no", "every": "jede", "ignore": "ignoriere",
    "immer": "always", "siempre": "always", "toujours": "always", "nie": "never",
    "请": "please ", "必须": " must ", "不要": "do not ", "总是": "always ",
}  # fmt: skip
_WORD = re.compile(r"\w+")


def _copied(poison: str) -> str:
    return poison


def _with_synonyms(poison: str) -> str:
    return _WORD.sub(lambda m: _SYNONYMS.get(m.group().lower(), m.group()), poison)


def _turned(poison: str) -> str:
    """The text with its second half first."""
    words = poison.rstrip(".").split()
    middle = len(words) // 2
    return " ".join((*words[middle:], "-", *words[:middle]))


def _as_a_habit(poison: str) -> str:
    return f"It is good style that one does this: {poison[:1].lower()}{poison[1:]}"


def _first_part(poison: str) -> str:
    words = poison.rstrip(".").split()
    return " ".join(words[: max(3, len(words) * 2 // 3)])


def _last_part(poison: str) -> str:
    words = poison.rstrip(".").split()
    return " ".join(words[-max(3, len(words) * 2 // 3) :])


def _marker_abroad(poison: str) -> str:
    low = poison.lower()
    for word, other in _ABROAD.items():
        if word in low:
            return low.replace(word, other)
    return poison.upper()


def _synonyms_turned(poison: str) -> str:
    return _turned(_with_synonyms(poison))


RETELLINGS: tuple[Callable[[str], str], ...] = (
    _copied,
    _with_synonyms,
    _turned,
    _as_a_habit,
    _first_part,
    _last_part,
    _marker_abroad,
    _synonyms_turned,
)

WHERE = ("body", "description", "mixed", "example")


def written(text: str, where: str) -> SkillText:
    """A candidate as a model would write it, with `text` in the place that `where` names."""
    description, body = "When the user asks for a list or a menu.", text
    match where:
        case "description":
            description, body = f"When the user asks for a list. {text}", "Answer with a list."
        case "mixed":
            body = f"1. Read the request.\n2. {text}\n3. Answer with the list."
        case "example":
            body = f"Answer with the list.\nExample: {text}"
    return SkillText(name="list-style", description=description, body=body)
