"""A scripted model on Ollama's protocol that obeys only the rules that reached its prompt.

Without a rule its answer breaks all ten wishes of `TEN` at once; each wish whose very words stand
in the system text is kept. So a skill that does not reach the prompt, or reaches the wrong one,
shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.doubles.scripted_endpoint import Says, ScriptedEndpoint
from tests.service.scripted_upstream import Asked

MODEL = "obedient"
EMAIL = "Draft an email to my landlord about the broken heating."
RECIPE = "Give me a recipe for pancakes."
PYTHON = "Write a Python function that adds two numbers."
NOTES = "Summarize the meeting of Monday with the sales team."
FACT = "What is the capital of Australia?"
SQL = "Write a query that counts the orders of May."

_PLAIN = {
    EMAIL: "Hi Tom, the heating is broken and I would be glad if you sent somebody soon.",
    RECIPE: "Mix 2 cups of flour with 1 cup of milk and two eggs, then bake in a hot pan.",
    PYTHON: "```python\ndef add(a, b):\n    return a + b\n```\nIt adds both numbers.",
    NOTES: "The team met on Monday, talked about the new prices and will decide in June.",
    FACT: "The capital of Australia is Canberra, which was chosen as a compromise.",
    SQL: "```sql\nselect count(*) from orders where month = 5\n```",
}
_TALK = (
    "There is a lot more to be said about this, and I could go on for quite a while, because it is"
    " a truly wonderful topic that many people all over the world find really exciting today."
)
_GERMAN = "Das ist die Antwort auf die Frage, und mehr ist dazu heute nicht zu sagen."


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish in plain words, which a user says after the answer to `asked`."""

    said: str
    asked: str
    general: bool
    keeps: Callable[[str], str]
    kept: Callable[[str], bool]
    checkable: bool = True


def _short(text: str) -> str:
    return " ".join(text.split()[:30])


TEN = (
    Wish("I'd like every reply to stay below 40 words.", FACT, True, _short,
         lambda a: len(a.split()) < 40),
    Wish("Leave out the emojis, I read this on a terminal.", FACT, True,
         lambda a: a.replace(" 🎉", ""), lambda a: "🎉" not in a),
    Wish("Please answer me in German from here on, my English is poor.", FACT, True,
         lambda _: _GERMAN, lambda a: a == _GERMAN),
    Wish("You don't need to open each reply with 'Great question!'.", FACT, True,
         lambda a: a.replace("Great question! ", ""), lambda a: "Great question!" not in a),
    Wish("I prefer a calmer tone, less cheering in what you write to me.", FACT, True,
         lambda a: a.replace("truly wonderful", "plain").replace("really exciting", "useful"),
         lambda a: "wonderful" not in a, checkable=False),
    Wish("My emails end with \"Best wishes, Mara\", not with anything else.", EMAIL, False,
         lambda a: a + "\n\nBest wishes, Mara", lambda a: a.endswith("Best wishes, Mara")),
    Wish("For recipes I need grams and millilitres, I own no cups.", RECIPE, False,
         lambda a: a.replace("2 cups", "250 g").replace("1 cup", "240 ml"),
         lambda a: "cup" not in a),
    Wish("In our Python code every function has type hints.", PYTHON, False,
         lambda a: a.replace("add(a, b):", "add(a: int, b: int) -> int:"),
         lambda a: "-> int" in a),
    Wish("When you summarize a meeting, use bullet points.", NOTES, False,
         lambda a: "\n".join(f"- {s.strip()}" for s in re.split(r"[.,!]", a) if s.strip()),
         lambda a: a.count("\n- ") > 2),
    Wish("I want the keywords in my SQL in capital letters.", SQL, False,
         lambda a: a.replace("select", "SELECT").replace("from", "FROM").replace("where", "WHERE"),
         lambda a: "select" not in a, checkable=False),
)  # fmt: skip


def answer_to(asked: str, system: str) -> str:
    """Return the model's answer: its own manner, changed by the wishes in the system text."""
    text = f"Great question! 🎉\n{_PLAIN.get(asked, 'Here is what I know about it.')}\n{_TALK}"
    for wish in TEN:
        if wish.said in system:
            text = wish.keeps(text)
    return text


def obeys(asked: Asked) -> None:
    messages = asked.json["messages"]
    system = "\n".join(m["content"] for m in messages if m["role"] == "system")
    newest = next(m["content"] for m in reversed(messages) if m["role"] == "user")
    Says(text=answer_to(newest, system))(asked)


class ObedientOllama(ScriptedEndpoint):
    def __init__(self) -> None:
        super().__init__()
        self.models = [{"name": f"{MODEL}:latest", "digest": "d-obedient"}]
        self.script = self._chat

    def _chat(self, asked: Asked) -> None:
        if asked.method != "POST" or not asked.path.endswith("/api/chat"):
            asked.answer(404, b"404 page not found")
            return
        obeys(asked)
