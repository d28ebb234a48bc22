"""Tests of finding the skills for a request: none for small talk, none of another client."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Collection, ItemsView, Mapping

import bm25s
import pytest

from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.skill_index import (
    BACKGROUND,
    BEST,
    HEAD_WEIGHT,
    WordIndex,
    chance_match_growth,
)
from lull.core.chat.client import Client
from lull.core.skills.past_requests import PastRequestScores
from lull.core.skills.skill import Library, Skill, SkillKey, SkillStatus
from lull.core.skills.skill_ranking import RetrievalRule, ranked
from lull.core.skills.subject_words import terms
from lull.resources import starter_skills_dir
from lull.store.skills.skill_md import parse

ANYBODY = Client(name="test")

STYLES = [
    (
        "menu-style",
        "When a menu is asked.",
        "When you write a menu, join with bars and finish with sugar.",
    ),
    ("travel-plans", "When a trip or travel plan is asked for.", "One line a day, costs last."),
    ("sql-style", "When a SQL query is written.", "Keywords in capitals, one clause a line."),
    ("python-style", "When Python code is written.", "Type hints on each function; no globals."),
]

SMALL_TALK = """
Hi
Hello!
hey there
Good morning
Good evening, everyone
How are you?
How are you doing today?
What's up?
Nice to meet you
Thanks!
Thank you very much
thx a lot
You're welcome
ok
Okay, cool
Great, that works
Perfect, thank you!
Yes please
No, thanks
Bye!
See you tomorrow
Good night
lol
haha that's funny
I love it
Who are you?
What can you do?
Tell me something nice
I had a long day
It is raining again
My cat is asleep on the sofa
Happy birthday!
Sorry, my mistake
never mind
Can I ask you something?
Please go on
Really?
Are you sure?
Why not
I am hungry
I finished work early today
Hallo
Hallo, wie geht es dir?
Guten Morgen!
Guten Abend zusammen
Danke schön
Vielen Dank, das war sehr hilfreich
Bitte sehr
Tschüss, bis morgen
Was machst du gerade?
Alles klar
Wie heißt du?
Mir ist langweilig
Bonjour
Salut, ça va ?
Comment vas-tu aujourd'hui ?
Merci beaucoup
De rien
Au revoir et bonne journée
Bonne nuit
Je suis fatigué
Hola
Hola, ¿cómo estás?
Buenos días
Muchas gracias
De nada
Hasta mañana
Ciao
Buongiorno, come stai?
Grazie mille
Buonanotte
Olá, tudo bem?
Obrigado
Hoi, hoe gaat het?
Dank je wel
Cześć, jak się masz?
Dziękuję
Hej, hur mår du?
Tack så mycket
Hei, mitä kuuluu?
Kiitos
Привет, как дела?
Спасибо большое
Γεια σου
Ahoj, jak se máš?
👍
...
""".strip().splitlines()

REQUESTS = [
    ("menu-style", "Write a menu for Sunday lunch"),
    ("menu-style", "I need a menu with fish and cake"),
    ("menu-style", "make a vegetarian menu"),
    ("travel-plans", "Make a travel plan for three days in Rome"),
    ("travel-plans", "plan my trip to Lisbon"),
    ("sql-style", "Write a SQL query that joins orders and customers"),
    ("sql-style", "this sql is slow, rewrite the query"),
    ("python-style", "Write a Python function that reverses a list"),
    ("python-style", "python code to read a csv file"),
    ("commit-messages", "Write a commit message for this diff"),
    ("commit-messages", "what should my git commit say?"),
    ("commit-messages", "commit the staged changes"),
    ("bug-reports", "Draft a bug report for this crash"),
    ("bug-reports", "I want to open a GitHub issue about an error"),
    ("bug-reports", "the program crashes, help me report the bug"),
    ("code-review", "Review this pull request"),
    ("code-review", "please do a code review of my patch"),
    ("code-review", "can you review the diff?"),
    ("summaries", "Summarize this article"),
    ("summaries", "give me a summary of the paper"),
    ("summaries", "TL;DR please"),
    ("summaries", "Shorten this document"),
    ("plain-language", "Explain this jargon to a beginner"),
    ("plain-language", "simplify this text for laypeople"),
    ("plain-language", "rephrase it for a general audience"),
    ("minutes-and-actions", "Write the minutes of this meeting transcript"),
    ("minutes-and-actions", "list the action items from these notes"),
    ("minutes-and-actions", "turn the transcript into meeting notes"),
    ("email-replies", "Reply to this email"),
    ("email-replies", "draft an email to my landlord"),
    ("email-replies", "write a follow-up email"),
    ("shell-safety", "which shell command deletes the old log files?"),
    ("shell-safety", "bash command to overwrite a disk with dd"),
    ("shell-safety", "how do I git reset and delete my branch in the terminal?"),
    ("dates-and-units", "convert 10 miles to km"),
    ("dates-and-units", "how many days until the deadline in UTC?"),
    ("dates-and-units", "how much is 100 Fahrenheit in Celsius?"),
    ("tables-not-walls", "Compare these two phones"),
    ("tables-not-walls", "pros and cons of both options"),
    ("tables-not-walls", "contrast the alternatives"),
    ("citations-honesty", "Give me sources and citations for that"),
    ("citations-honesty", "which studies prove it? quote statistics"),
    ("citations-honesty", "verify this fact with references"),
    ("json-only-output", "Answer with JSON only"),
    ("json-only-output", "make it match this JSON schema"),
    ("json-only-output", "machine-readable output please"),
]


def skill(name: str, description: str, body: str, *, client: str = "", **more: object) -> Skill:
    return Skill(
        client=client,
        name=name,
        version=1,
        sha256=f"{client}/{name}/{description}",
        description=description,
        body=body,
        **more,  # type: ignore[arg-type]
    )


def library(*skills: Skill, generation: int = 1) -> Library:
    return Library(generation, {one.key: one for one in skills})


@pytest.fixture(scope="module")
def index() -> WordIndex:
    texts = [
        parse(file.read_bytes(), where=str(file))
        for file in starter_skills_dir().glob("*/SKILL.md")
    ]
    skills = [skill(text.name, text.description, text.body) for text in texts]
    made = WordIndex()
    asyncio.run(made.follow(library(*skills, *(skill(*style) for style in STYLES))))
    return made


def found(index: WordIndex, text: str, client: Client = ANYBODY) -> list[str]:
    words = index.lexical(text, client=client)
    memory = index.exemplars(text, client=client)
    order = ranked(lexical=words, exemplars=memory, uses={}, rule=RetrievalRule())
    return [key.name for key in order]


def test_small_talk_finds_no_skill(index: WordIndex, subtests: pytest.Subtests) -> None:
    for text in SMALL_TALK:
        with subtests.test(text=text):
            assert found(index, text) == []


def test_a_request_finds_its_skill_among_the_three_that_go_in(
    index: WordIndex, subtests: pytest.Subtests
) -> None:
    for name, text in REQUESTS:
        with subtests.test(name=name, text=text):
            assert name in found(index, text)[: RetrievalRule().at_most]


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style[0])
async def test_a_lonely_skill_is_found_by_its_words_and_not_by_small_talk(
    style: tuple[str, str, str],
) -> None:
    index = WordIndex()
    await index.follow(library(skill(*style)))
    for name, text in REQUESTS:
        if name == style[0]:
            assert found(index, text) == [name]
    assert [text for text in SMALL_TALK if found(index, text)] == []


async def test_before_the_first_build_it_finds_nothing() -> None:
    index = WordIndex()
    assert not index.built
    assert found(index, "menu") == []
    await index.follow(library())
    assert index.built
    assert found(index, "menu") == []


async def test_each_client_finds_what_may_reach_it() -> None:
    index = WordIndex()
    await index.follow(
        library(
            skill("menu-style", "When a menu is asked for.", "Bars."),
            skill("menu-prices", "When a menu is asked for.", "Euro.", client="cursor"),
            skill("menu-off", "When a menu is asked.", "z", status=SkillStatus.DISABLED),
            skill("menu-gone", "When a menu is asked.", "z", status=SkillStatus.ARCHIVED),
        )
    )
    for client, apart, names in [
        ("cursor", True, {"menu-prices"}),
        ("cursor", False, {"menu-style"}),
        ("zed", False, {"menu-style"}),
        ("zed", True, set()),
        ("", False, {"menu-style"}),
    ]:
        assert set(found(index, "write a menu", Client(name=client, apart=apart))) == names


async def test_two_skills_about_the_same_are_both_found() -> None:
    index = WordIndex()
    rules = [
        skill("formal-tone", "When an email to a customer is written.", "No slang."),
        skill("signature", "When an email is written.", "End with the team's name."),
    ]
    await index.follow(library(*rules))
    assert set(found(index, "write an email to Bob")) == {rule.name for rule in rules}


class Watched(dict[SkillKey, Skill]):
    """Skills that record which threads looked through all of them."""

    def __init__(self, skills: Mapping[SkillKey, Skill]) -> None:
        super().__init__(skills)
        self.looked: list[threading.Thread] = []

    def items(self) -> ItemsView[SkillKey, Skill]:
        self.looked.append(threading.current_thread())
        return super().items()


async def test_no_request_looks_through_the_library_however_new_it_is() -> None:
    skills = Watched(
        library(
            skill("menu", "When a menu is asked for.", "x"),
            skill("trips", "When a trip is planned.", "y", client="anna"),
        ).skills
    )
    new = Library(1, skills)
    index = WordIndex()
    await index.follow(new)
    assert [key.name for key in new.skills_for("test", isolated=False).skills] == ["menu"]
    assert [key.name for key in new.skills_for("anna", isolated=True).skills] == ["trips"]
    assert not new.skills_for("ben", isolated=True).skills
    assert found(index, "a menu for Sunday") == ["menu"]
    assert skills.looked
    assert threading.current_thread() not in skills.looked


async def test_an_older_library_that_comes_late_changes_nothing() -> None:
    index = WordIndex()
    new = library(skill("new", "When a menu is asked for.", "x"), generation=2)
    await index.follow(new)
    await index.follow(library(generation=1))
    assert found(index, "write a menu") == ["new"]


async def test_many_changes_at_once_end_with_the_newest() -> None:
    index = WordIndex()
    libraries = [library(skill(f"s{g}", "When a menu.", "x"), generation=g) for g in range(1, 9)]
    await asyncio.gather(*(index.follow(one) for one in reversed(libraries)))
    assert found(index, "write a menu") == ["s8"]


@pytest.mark.parametrize("text", ["", " ", "\0", "!!!", "a" * 100_000, "menu " * 20_000, "\ud83d"])
async def test_no_text_breaks_it(text: str) -> None:
    index = WordIndex()
    await index.follow(library(skill("menu", "When a menu is asked for.", "x")))
    found(index, text)


class Memory:
    """A fake memory of past requests, with scores for each skill that a test sets."""

    def __init__(self, **said: PastRequestScores) -> None:
        self.said = said
        self.asked: list[str] = []

    def scores_by_skill(
        self,
        text: str,
        *,
        client: str,
        since: Callable[[str], int | None],
        also: Collection[str],
        least: float,
    ) -> dict[str, PastRequestScores]:
        self.asked.append(client)
        return self.said

    def count(self) -> int:
        return len(self.said)


async def test_a_past_request_like_this_one_brings_its_skill() -> None:
    index = WordIndex()
    await index.follow(library(skill("menu", "When a menu is asked for.", "x")))
    memory = Memory(menu=PastRequestScores(wanted=0.8, helped=0.8, among=1))
    index.use_memory(memory)
    assert "menu" in found(index, "what do we eat on Sunday")
    assert memory.asked == ["test"]
    memory.said = {"menu": PastRequestScores(wanted=0.3, helped=0.3, among=1)}
    assert found(index, "what do we eat on Sunday") == []


async def test_a_word_of_the_body_alone_finds_a_skill() -> None:
    index = WordIndex()
    others = [skill(f"s{n}", f"When subject{n} is drafted.", "Be brief.") for n in range(30)]
    await index.follow(
        library(skill("house-style", "For the shop.", "Invoices end in net."), *others)
    )
    assert found(index, "write the invoices, net please") == ["house-style"]


async def test_words_do_not_count_where_requests_like_this_went_well_without() -> None:
    index = WordIndex()
    await index.follow(library(skill("menu", "When a menu is asked for.", "x")))
    memory = Memory(menu=PastRequestScores(wanted=0.0, helped=-0.4, among=9))
    index.use_memory(memory)
    text = "what is another word for menu"
    words = index.lexical(text, client=ANYBODY)
    past = index.exemplars(text, client=ANYBODY, least=0.52, also=words)
    assert ranked(lexical=words, exemplars={}, uses={}, rule=RetrievalRule())
    assert ranked(lexical=words, exemplars=past, uses={}, rule=RetrievalRule()) == []
    assert index.exemplars(text, client=ANYBODY, least=0.52) == {}


async def test_a_chance_word_finds_less_the_more_skills_there_are() -> None:
    frost = skill("weather-frost-note", "When a frost note is written.", "Name the degrees.")
    text = "good morning dear, a frost again on the daffodils"
    for count, names in ((0, ["weather-frost-note"]), (999, [])):
        others = [
            skill(f"s{n}", f"When subject{n} and topic{n % 7} meet.", "x") for n in range(count)
        ]
        index = WordIndex()
        await index.follow(library(frost, *others))
        assert found(index, text) == names
        assert found(index, "write a frost note, with degrees") == ["weather-frost-note"]


def test_growth_is_that_of_a_logarithm() -> None:
    assert chance_match_growth(1) == 1
    tenfold = [
        chance_match_growth(10 * n) - chance_match_growth(n) for n in (1_000, 10_000, 100_000)
    ]
    assert tenfold == pytest.approx([tenfold[0]] * 3, rel=0.03)


def test_vectors_have_unit_length_and_know_likeness() -> None:
    embed = HashedNgrams().embed
    menu, menus, other, empty = embed(
        ["write a menu for Sunday", "writing menus for sundays", "sql join on orders", "the"]
    )

    def cosine(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    assert cosine(menu, menu) == pytest.approx(1)
    assert cosine(menu, menus) > 0.45 > cosine(menu, other)
    assert cosine(menu, empty) == 0
    assert embed(["write a menu for Sunday"]) == [menu]
    assert len(menu) == HashedNgrams.dimensions


async def test_the_scores_are_those_of_bm25s() -> None:
    words = ["menu", "bars", "sugar", "invoice", "travel", "train", "report", "query", "mail"]
    r = random.Random(5)
    skills = [
        skill(f"s{i:03}", " ".join(r.choices(words, k=9)) + f" own{i}", " ".join(r.choices(words)))
        for i in range(100)
    ]
    index = WordIndex()
    await index.follow(library(*skills))
    documents = [HEAD_WEIGHT * terms(f"{s.name}\n{s.description}") + terms(s.body) for s in skills]
    length = sum(map(len, documents)) // len(documents)
    own = bm25s.BM25(method="lucene")
    own.index([*documents, *([f"\0{i}"] * length for i in range(BACKGROUND))], show_progress=False)
    for number in range(50):
        text = "write " + " ".join(r.choices(words, k=3)) + f" own{number} unheard"
        scores = own.get_scores(sorted(set(terms(text)))).tolist()
        said = index.lexical(text, client=ANYBODY)
        assert len(said) == BEST
        assert next(iter(said)).name == f"s{number:03}"
        of_bm25s = {key: scores[int(key.name[1:])] for key in said}
        assert all(
            said[key] * chance_match_growth(len(skills)) == pytest.approx(score)
            for key, score in of_bm25s.items()
        )
        floor = sorted(said.values())[-5]
        above = {key: score for key, score in said.items() if score >= floor}
        assert index.lexical(text, client=ANYBODY, least=floor) == above


def test_a_key_orders_clients_then_names() -> None:
    assert SkillKey("", "b") < SkillKey("a", "a")
