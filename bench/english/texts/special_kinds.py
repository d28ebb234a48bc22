"""More kinds of requests, for special needs: code, translations, health, money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.kind import Kind
from bench.english.texts.split import parts

SPECIAL: Final[Mapping[str, Kind]] = {
    "code": Kind(
        called=("code", "programming questions", "anything with code", "coding answers", "scripts"),
        forms=parts(
            "Write a Python function that {}.|How do I write a program that {}?|Show me a "
            "script that {}.|Can you write code that {}?|I need a small program that {}."
        ),
        subjects=parts(
            "adds two numbers|sorts a list|counts the words in a text|reads a file|reverses a "
            "string|finds the largest number|removes duplicates|checks if a year is a leap "
            "year|prints a multiplication table|downloads a page|renames files|converts miles "
            "to kilometres|rolls a dice|merges two lists|finds prime numbers|shuffles a deck "
            "of cards"
        ),
    ),
    "translate": Kind(
        called=(
            "translations",
            "every translation",
            "language questions",
            "everything you translate",
            "texts in other languages",
        ),
        forms=parts(
            'Translate "{}" into French.|How do you say "{}" in Spanish?|What is "{}" in '
            'German?|Put "{}" into Italian.|I need "{}" in Portuguese.'
        ),
        subjects=parts(
            "good morning|where is the station|I am hungry|the bill please|I love this town|"
            "what time is it|my name is Peter|it is cold outside|nice to meet you|I need a "
            "doctor|how much does it cost|see you on Monday|happy birthday|the train is late|"
            "two coffees please|I am lost"
        ),
    ),
    "summary": Kind(
        called=(
            "summaries",
            "every summary",
            "book and film summaries",
            "anything you sum up",
            "abstracts",
        ),
        forms=parts(
            "Summarise {}.|What is {} about?|Give me a summary of {}.|Sum up {} for me.|Tell "
            "me in brief what happens in {}."
        ),
        subjects=parts(
            "Romeo and Juliet|The Lion King|Moby Dick|Cinderella|Hamlet|Frankenstein|Titanic|"
            "The Little Prince|Robinson Crusoe|Dracula|Pinocchio|Alice in Wonderland|Don "
            "Quixote|The Odyssey|Treasure Island|A Christmas Carol"
        ),
    ),
    "shopping": Kind(
        called=(
            "shopping questions",
            "buying tips",
            "anything about shopping",
            "purchase advice",
            "questions about what to buy",
        ),
        forms=parts(
            "What should I look for when I buy {}?|How do I find a good deal on {}?|Help me "
            "choose {}.|I want to buy {}. What matters?|Is it worth paying more for {}?"
        ),
        subjects=parts(
            "a mattress|a laptop|a winter coat|a blender|headphones|a sofa|hiking boots|a tent|"
            "a printer|a vacuum cleaner|a pram|a bicycle|a camera|an office chair|a carpet|"
            "sunglasses"
        ),
    ),
    "health": Kind(
        called=(
            "health questions",
            "fitness answers",
            "anything about health and sport",
            "health advice",
            "sport questions",
        ),
        forms=parts(
            "What helps against {}?|What can I do about {}?|Tell me something about {} and "
            "health.|My doctor spoke of {}. What should I know?|How do athletes deal with {}?"
        ),
        subjects=parts(
            "back pain|a cold|a headache|stress|sore muscles|high blood pressure|dry skin|lack "
            "of sleep|stiff shoulders|hay fever|low energy|a sprained ankle|sunburn|a cough|"
            "weak knees|dehydration"
        ),
    ),
    "history": Kind(
        called=(
            "history questions",
            "history answers",
            "everything about history",
            "questions about the past",
            "historical answers",
        ),
        forms=parts(
            "Who was {}?|Why is {} remembered?|What did {} do?|Tell me about the life of {}.|"
            "What made {} famous?"
        ),
        subjects=parts(
            "Cleopatra|Napoleon|Marie Curie|Julius Caesar|Gandhi|Joan of Arc|Mozart|Columbus|"
            "Galileo|Queen Victoria|Abraham Lincoln|Marco Polo|Rosa Parks|Leonardo da Vinci|"
            "Alexander the Great|Florence Nightingale"
        ),
    ),
    "complaint": Kind(
        called=(
            "complaints",
            "letters of complaint",
            "every complaint",
            "complaint letters",
            "anything where I complain",
        ),
        forms=parts(
            "Write a complaint about {}.|I want to complain about {}. Write it for me.|Draft a "
            "letter of complaint about {}.|Help me complain about {}.|Put my anger about {} "
            "into a letter."
        ),
        subjects=parts(
            "a cold meal|a late train|a dirty hotel room|a rude waiter|a broken washing "
            "machine|a cancelled concert|a noisy building site|a wrong bill|a faulty phone|a "
            "torn jacket|slow internet|an unanswered call|a damaged sofa|a missing refund|a "
            "bad haircut|a leaking roof"
        ),
    ),
    "wishes": Kind(
        called=(
            "birthday wishes",
            "greeting cards",
            "every card you write",
            "congratulations",
            "cards and wishes",
        ),
        forms=parts(
            "Write a birthday card for {}.|I need good wishes for {}.|Congratulate {} for me.|"
            "What could I write on a card for {}?|Write a warm greeting for {}."
        ),
        subjects=parts(
            "my grandmother|my best friend|a colleague|my little brother|our neighbour|my wife|"
            "a nephew who turns ten|my boss|a new mother|a newly married couple|my godchild|"
            "our teacher|a friend who passed an exam|my cousin|my choir leader|a friend in "
            "hospital"
        ),
    ),
    "pets": Kind(
        called=(
            "pet questions",
            "questions about animals",
            "anything about my pets",
            "pet advice",
            "animal answers",
        ),
        forms=parts(
            "What does {} need?|How do I look after {}?|What should I feed {}?|Is {} a good "
            "pet?|My child wants {}. What should I know?"
        ),
        subjects=parts(
            "a hamster|a kitten|a puppy|a goldfish|a rabbit|a parrot|a guinea pig|a tortoise|a "
            "pony|a canary|an old dog|a snake|a ferret|a stray cat|a hen|a mouse"
        ),
    ),
    "garden": Kind(
        called=(
            "gardening questions",
            "garden tips",
            "everything about plants",
            "gardening answers",
            "plant questions",
        ),
        forms=parts(
            "How do I grow {}?|When should I plant {}?|How much water do {} need?|My {} look "
            "bad. What can I do?|What do I need to know about {} in the garden?"
        ),
        subjects=parts(
            "roses|strawberries|carrots|sunflowers|herbs|potatoes|tulips|cucumbers|apple trees|"
            "orchids|beans|lavender bushes|blueberries|onions|peppers|ferns"
        ),
    ),
    "money": Kind(
        called=(
            "money questions",
            "answers about money",
            "everything about finance",
            "finance questions",
            "budget answers",
        ),
        forms=parts(
            "What should I know about {}?|How does {} affect my money?|I worry about {}. What "
            "can I do?|Give me the basics of {}.|How do I deal with {}?"
        ),
        subjects=parts(
            "a credit card|a student loan|taxes|a pension|rent|a household budget|insurance|a "
            "bank fee|pocket money|debts|a first salary|shared costs|an emergency fund|a "
            "savings account|rising prices|an unexpected bill"
        ),
    ),
}
