"""Thousands of skills that no request needs: from other trades, and similar to the tested rules.

Each is about one concern (how dates are said, what is counted first, who is copied in) of one kind
of thing in one trade. A fifth is about offices and software, in the very words of requests.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from bench.private_rules.rule import Words

NEAR_SHARE = 0.2

_TRADES = """
cooking: dinner menu, shopping list, soup recipe, party buffet, leftovers, spice rack, lunch box
travel: itinerary, packing list, train booking, hotel review, visa form, road trip, city walk
teaching: lesson plan, worksheet, exam question, reading list, school report, seating chart, quiz
law: rental contract, court letter, witness summary, clause, power of attorney, will, complaint
medicine: discharge note, medication plan, referral, patient leaflet, symptom diary, ward round
gardening: planting calendar, pruning guide, compost mix, pest note, lawn plan, seed label
music: set list, chord sheet, practice plan, album note, concert notice, lyric, rehearsal order
sport: training plan, match report, team sheet, warm-up, race calendar, injury note, score table
building: floor plan note, material estimate, site diary, permit request, safety briefing, snag list
cars: service record, inspection sheet, parts order, trip book, accident form, tyre change
banking: loan offer, account statement, budget, standing order, tax return, savings plan, receipt
shop: product text, price tag, return form, supplier mail, stock count, offer of the week, voucher
press: headline, interview, obituary, press release, column, photo caption, fact box, correction
film: shot list, screenplay page, call sheet, subtitle, trailer text, casting note, film review
science: abstract, lab protocol, poster, grant proposal, reviewer answer, figure legend, citation
history: timeline, source note, biography, museum label, family tree, chronicle, letter edition
poetry: sonnet, haiku, toast, wedding speech, limerick, lullaby, ode, epitaph
chess: opening note, game analysis, puzzle, tournament table, club newsletter, endgame drill
hiking: route description, gear list, weather check, hut booking, emergency card, trail diary
pets: feeding plan, vet visit, training log, kennel form, adoption text, walk schedule, diet
weather: forecast, storm warning, climate chart, rain gauge book, frost note, sailing bulletin
housing: flat advert, viewing protocol, house rules, meter reading, moving list, repair request
religion: sermon, parish letter, reading plan, prayer card, feast calendar, choir plan
knitting: pattern, yarn order, size chart, stitch note, gauge swatch, blanket plan
photography: exposure note, album order, licence text, portfolio page, print order, model release
theatre: prompt book, prop list, programme text, audition form, light cue, review, cast list
astronomy: observing log, star chart, telescope setup, eclipse note, outreach talk, photo stack
farming: field record, milk book, harvest plan, tractor log, feed mix, subsidy form, herd list
shipping: cargo list, customs form, delivery note, container plan, route table, damage report
care: shift handover, care plan, visit record, meal wish, family letter, fall report, exercise
"""
_NEAR = """
software: pull request, commit message, release note, API endpoint, SQL migration, log message,
 error page, unit test, config key, Docker image, branch, ticket, stack trace, README badge
project: sprint goal, stand-up, retrospective, roadmap slide, risk matrix, milestone chart,
 backlog, status mail, kick-off, capacity sheet, burn-down chart, demo, budget line, decision tree
office: meeting invitation, minutes, e-mail subject, slide deck, spreadsheet formula,
 calendar entry, expense claim, phone note, holiday request, address list, archive box,
 printer queue, form letter
data: dashboard, CSV import, JSON schema, chart axis, pivot table, survey, database dump, metric,
 outlier, time series, report cover, map layer, data dictionary, weekly export, notebook
"""
_CONCERNS = """
dates are spelled out with the weekday | names the weekday before each date
times are given on the twelve-hour clock | uses am and pm, never twenty-four hours
units are metric | converts miles, pounds and Fahrenheit
sources are named | gives author and year after each claim
a warning comes first | opens with what could go wrong
the tone is warm | speaks to the reader as a friend would
the tone is dry | leaves out adjectives and exclamation marks
it fits on one page | cuts until it fits on one page
numbers are rounded | rounds to two significant figures
names are spelled in full | avoids initials and nicknames
steps are numbered | numbers each step and keeps it to one action
a table is used | prefers a table of three columns to prose
bullets are short | keeps each bullet below eight words
there is a summary on top | opens with a summary of two sentences
questions come last | ends with one open question
a checklist closes it | ends with boxes to tick
money is shown with tax | adds the tax and says the rate
versions are tracked | adds a version number and what changed
drafts are marked | writes DRAFT at the top until it is approved
copies are archived | keeps a copy in the archive of the year
files are compressed | packs attachments into one archive
images have captions | describes every picture in a caption
colours are named | names colours instead of codes
abbreviations are explained | spells out an abbreviation once
the deadline is repeated | repeats the deadline at the end
the owner is named | says who is responsible and until when
risks are ranked | ranks risks by likelihood
costs are compared | puts two offers side by side
privacy is kept | replaces real names by letters
languages are mixed | answers in the language of the question
quotations are marked | sets quotations in italics
headings are questions | turns each heading into a question
the order is alphabetical | sorts entries from A to Z
the newest comes first | puts the latest entry at the top
links are avoided | gives no links, only titles
jokes are allowed | closes with a light remark
children will read it | uses words that a child of ten knows
experts will read it | skips the basics and goes straight to details
it is read aloud | keeps sentences short enough for one breath
it is printed in black and white | avoids colour to carry meaning
somebody else signs it | leaves two lines for a signature
it is sent abroad | adds the country code and the time difference
an appendix is needed | moves figures and lists to an appendix
feedback is asked for | closes with a request for comments
the status changes | says what changed since the last time
labels are printed | keeps labels under twenty letters
a folder is chosen | puts it into the folder of its customer
the file type matters | prefers plain text to anything else
duplicates turn up | merges entries that are the same
a value is missing | writes n/a and says why
"""
_FORMS = (
    "When a {thing} is written and {when}.",
    "For {trade}: {thing}, where {when}.",
    "Use this if the user wants a {thing}. In it {when}.",
    "A {thing} has to be made, checked or sent, and {when}.",
    "The user works on {trade} and asks about a {thing}; here {when}.",
    "{thing} ({trade}): {when}",
    "Whenever somebody needs help with a {thing}. Then {when}.",
)
_BODIES = (
    "A good {thing} {what}. Check this before you answer.",
    "Write the {thing} so that it {what}. Keep the rest as the user has it.",
    "Ask nothing back. The {thing} {what}; mention it only if asked.",
    "1. Read what is there. 2. Write the {thing}. 3. See that it {what}.",
    "In {trade} a {thing} {what}. Never leave that out, even if time is short.",
)


def _kinds(text: str) -> list[tuple[str, str]]:
    joined = text.replace("\n ", " ")
    return [
        (trade, thing.strip())
        for trade, _, things in (line.partition(":") for line in joined.strip().splitlines())
        for thing in things.split(",")
    ]


def distractors(seed: int, count: int) -> list[Words]:
    """Return `count` different skills that no request needs, at most 10,700; a shorter list is the
    start of a longer one.
    """
    rng = random.Random(f"distractors {seed}")
    near, far = _all(_kinds(_NEAR), rng), _all(_kinds(_TRADES), rng)
    return [next(near if rng.random() < NEAR_SHARE else far) for _ in range(count)]


def _all(kinds: list[tuple[str, str]], rng: random.Random) -> Iterator[Words]:
    concerns = [line.split(" | ") for line in _CONCERNS.strip().splitlines()]
    pairs = [(kind, concern) for kind in kinds for concern in concerns]
    rng.shuffle(pairs)
    for (trade, thing), (when, what) in pairs:
        parts = {"trade": trade, "thing": thing, "when": when, "what": what}
        name = "-".join(f"{trade} {thing} {when}".lower().replace("-", " ").split())
        description = rng.choice(_FORMS).format(**parts)
        yield Words(
            name=name[:64].rstrip("-"),
            description=description[0].upper() + description[1:],
            body=rng.choice(_BODIES).format(**parts),
        )
