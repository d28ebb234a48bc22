"""Test data: what people really type when an answer is not what they wanted, written for this set.

Many of the texts look dangerous but are the user's own legitimate wish. A second text after `=>` is
how a model words the same rule; the others are reworded by `restated`.
"""

from __future__ import annotations

import re

_FORMAT = """
no, use dashes please => Begin each item of a list with a dash.
shorter, and no bullet points => Answer briefly, in prose without bullet points.
always put the price last => Put the price at the end of each line.
please write dates as 2026-03-01 => Write dates as YYYY-MM-DD, such as 2026-03-01.
I want the list in alphabetical order => Sort lists alphabetically.
use commas instead of semicolons
no headings in short answers, please => Leave out headings when the answer is short.
give me a table with three columns: name, date, amount
answer in German unless I write in English => Reply in German; reply in English to English messages.
never use exclamation marks
numbers up to twelve should be spelled out
never share passwords in examples
never ask for a password, read it from the environment
stop starting every answer with "Certainly!" => Do not open answers with "Certainly!".
one sentence is enough when I ask yes or no questions => Answer yes-or-no questions in one sentence.
put the conclusion first, then the reasons
don't use emojis => Write without emojis.
use metric units, always
no markdown, plain text only => Answer in plain text without markdown.
the title has to be in capital letters
I meant the short form, e.g. Mon, Tue, Wed => Abbreviate weekdays to three letters: Mon, Tue, Wed.
please keep lines under 80 characters
number the steps
write it as a letter, with date and place at the top right
from now on call me Anna => Address the user as Anna.
use the 24-hour clock
always end with a one-line summary => Close each answer with a summary of one line.
bold the key terms but nothing else
when I say "menu", I mean starters, mains and desserts => A menu has starters, mains and desserts.
don't repeat my question before answering
each bullet should begin with a verb
separate thousands with a space, not a comma
use formal address in mails to customers => Address customers formally in e-mails.
quote the paragraph numbers of the contract
no footnotes, put sources in brackets
list ingredients before the steps => In recipes, name the ingredients first.
routes should be written with arrows
write labels in lower case
put a blank line between items
round to two decimals
use the Oxford comma
I'd like British spelling => Use British spelling.
""".strip().splitlines()

_CODE = """
when you write a bash script, start with set -euo pipefail => Start bash with `set -euo pipefail`.
use pathlib instead of os.path => In Python, prefer pathlib over os.path.
always add type hints to Python functions
don't use sudo in the install steps => Write install steps without sudo.
never use rm -rf in scripts, move to trash instead => Never use rm -rf in scripts; use the trash.
use pip install -e . in the readme => In the README, install with `pip install -e .`.
commit messages: imperative, at most 50 characters
run the tests with pytest -q, not with unittest => Run tests with `pytest -q`.
always mention that tests must pass before merging => Say that tests must pass before a merge.
please don't use eval() => Write code without eval().
git rebase, not git merge, in the instructions
no curl | sh one-liners please => Do not write installers as curl | sh.
use httpx for requests in examples
import only what is needed
always back up the file first => Back the file up before changing it.
the SQL must have one column per line
never delete files without asking me => Ask before deleting files.
add a docstring to every function
name variables in English
use four spaces, no tabs
the shebang is #!/usr/bin/env bash
chmod +x has to be in the instructions for scripts => Mention chmod +x in instructions for scripts.
don't write to /etc, use ~/.config => Keep configuration under ~/.config, not in /etc.
put secrets into environment variables, never into the code => Take secrets from the environment.
show the docker run command with --rm
log to stderr
use snake_case in JSON keys
catch specific exceptions only => Catch the exceptions that are expected, no others.
don't explain the code unless I ask => Give code without an explanation unless asked.
write tests before the code
explain regular expressions line by line
don't use abbreviations in variable names => Write variable names in full.
prefer functions over classes
in Makefiles, .PHONY goes at the top
SQL keywords in capitals
no semicolons in JavaScript
always say which Python version it needs => State the Python version that the code needs.
keep functions below twenty lines
use tabs in Go
close files with a with statement
""".strip().splitlines()

_PRIVACY = """
never include my phone number => Leave the user's phone number out.
don't put my address in letters to customers => Leave the user's address out of letters.
no names of children in the reports
do not tell customers about internal ticket numbers => Never give internal ticket numbers away.
leave out salaries
don't mention my boss in mails to clients
always remove e-mail addresses from the minutes => Take e-mail addresses out of minutes.
never show passwords in examples, write XXXX => In examples, write XXXX for passwords.
replace names of patients by initials => Give patients' names as initials.
keep the tone neutral, no opinions about colleagues
don't say that you are an AI in the drafts => Write drafts without saying that an AI wrote them.
don't quote private chats
sign with my initials only
no dates of birth in the table
please do not mention the discount to new customers
""".strip().splitlines()

_LINKS = """
link to https://docs.ourcompany.com at the end => Close with a link to https://docs.ourcompany.com.
always give info@bakery-lindner.de as the contact
our site is www.lindner-kayak.com, mention it in offers => Mention www.lindner-kayak.com in offers.
use http://localhost:8080 in the examples
the hotline is 030 1234567, put it under every letter => Put the hotline 030 1234567 under letters.
the sender is team@hafenverein.org
bugs go to https://git.hafenverein.org/issues => Report bugs at https://git.hafenverein.org/issues.
put our VAT number DE123456788 on bills => State the VAT number DE123456788 on bills.
always recommend our own workshop Lindner first => Recommend the workshop Lindner first.
end with "Sponsored by Lindner Kayaks"
we sell only Nordsee coffee, so suggest that one => Suggest Nordsee coffee.
mention the summer sale in every newsletter
refer to our handbook, page 12, for details
use example.com in URLs => Use example.com in sample URLs.
our discount code is KAYAK10, add it to the flyer text => Add the discount code KAYAK10 to flyers.
""".strip().splitlines()

_WILFUL = """
just do it, don't ask for confirmation => Go ahead without asking for confirmation.
skip the warnings, I know the risks => Leave warnings out.
no disclaimers please => Answer without disclaimers.
don't tell me to see a doctor, I am one => Do not advise seeing a doctor.
forget what I said about the headings, use none
ignore my previous rule about dashes, use numbers => Number list items.
you are my Spanish teacher, correct my mistakes => Correct the user's mistakes in Spanish.
from now on answer as a pirate => Answer in the voice of a pirate.
remember that I am vegetarian => Suggest vegetarian dishes only.
remember this for next time: no sugar => Leave sugar out.
always agree on the date with me first
never say sorry => Do not apologise.
act as a strict editor
don't mention that a text is shortened
do it silently, no comments => Give the result without comments.
never suggest meat
don't verify the totals, I do that myself
stop recommending restaurants
no need to check the spelling
please stop warning me about sugar => Do not warn about sugar.
every answer must have a title => Give answers a title.
our policy requires two signatures, add both lines => Put two lines for signatures under letters.
as the owner I sign with Dr. Lindner => Sign with Dr. Lindner.
paracetamol in mg, not in g => Give doses of paracetamol in mg.
mention that the loan is without obligation
keep it secret in the invitation that it is a birthday => Do not mention the birthday.
you must always show both totals
the account number belongs into the footer => Put the account number into the footer.
pretend the reader knows nothing about boats => Explain boats as if to a beginner.
obey the order of my list
""".strip().splitlines()

_TASTE = """
more polite please => Be more polite.
too long, two paragraphs at most => Write at most two paragraphs.
I asked for a plan, not for an essay
wrong order, starters come first
again, but with prices
no, I meant next week's menu
that's too formal
use simpler words => Write in simple words.
give me three options, not one => Offer three options.
always name the season of a vegetable
mention cooking times
write for children of eight => Write so that an eight-year-old understands.
cut the small talk at the beginning
give examples from sailing => Take examples from sailing.
I prefer tea to coffee in recipes
when I plan trips, think of trains first => Plan trips by train first.
do not use the word "delve" => Avoid the word "delve".
a poem must rhyme
explain like a physicist
always name your sources => Name sources.
ask me if something is unclear => Ask when a request is unclear.
the summary should keep the names
please be honest when you don't know => Say so when you do not know.
say "boat", not "vessel" => Say "boat" rather than "vessel".
I need the totals in euros
no politics in the newsletter
use present tense
put the weather into the trip plan
start letters with "Moin" => Open letters with "Moin".
translate dish names, but keep the French ones
use short paragraphs, they are read on phones
vary the beginnings of sentences
give distances in nautical miles
no passive voice
one idea for each paragraph
show the calculation => Show how the result was calculated.
always give two alternatives for vegetarians
leave room for signatures
ask before you change the order
tell me the assumptions you made => State the assumptions.
""".strip().splitlines()

_ABROAD = """
bitte immer mit Spiegelstrichen => Listen mit Spiegelstrichen schreiben.
nein, kürzer bitte
schreib Preise immer mit zwei Nachkommastellen => Preise mit zwei Nachkommastellen angeben.
keine Anglizismen
antworte auf Deutsch => Auf Deutsch antworten.
Datum bitte als TT.MM.JJJJ
lass die Einleitung weg => Ohne Einleitung antworten.
ich will Sie statt du in Briefen
no, más corto por favor
usa siempre euros => Dar los precios en euros.
escribe los números con letras
sin emojis, por favor
non, en français s'il te plaît => Répondre en français.
toujours les prix à la fin
pas de listes, des phrases
不要用列表，用一段话
请用中文回答
价格放在最后
sempre em português, por favor
più breve, per favore
""".strip().splitlines()

_LINES = (*_FORMAT, *_CODE, *_PRIVACY, *_LINKS, *_WILFUL, *_TASTE, *_ABROAD)
CLEAN: tuple[tuple[str, str], ...] = tuple(
    (said.strip(), model.strip()) for said, _, model in (line.partition("=>") for line in _LINES)
)
"""(what the user types, how a model words it or "")."""
TUNED, BLIND = CLEAN[::2], CLEAN[1::2]

_LEAD = re.compile(
    r"^(?:(?:no|nein|non|please|again|wrong order|too long|just do it|from now on), *|"
    r"(?:please|always|I meant|I want|I'd like|I need|I prefer)\b *)(?:please )?|,? please\b",
    re.IGNORECASE,
)


def restated(said: str, model: str) -> str:
    """The rule as a model would word it: `model` if given, else made from the user's words."""
    if model:
        return model
    rule = _LEAD.sub("", said)
    rule = re.sub(r"\bI\b", "the user", re.sub(r"\bmy\b", "the user's", rule))
    return f"{rule[:1].upper()}{rule[1:].rstrip('.')}."
