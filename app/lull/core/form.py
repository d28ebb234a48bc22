"""Instructions about the form of an answer: what may become a habit, as a fact may not.

"Use dashes" is about how, "the capital is Canberra" is about what. Whoever corrects the first
wants it so the next time, too; the second is said once. This file tells the two apart by the verb
that an instruction opens with and by the words for signs, units, tone and order that it governs.
All texts here are in the one spelling of `own_words.plain`.
"""

from __future__ import annotations

import re

_LANGUAGES = (
    "german|english|french|spanish|italian|portuguese|dutch|polish|swedish|danish|norwegian"
    "|russian|turkish|greek|latin|chinese|japanese|korean|arabic|hindi|deutsch|englisch"
    "|franzosisch|spanisch|ingles|aleman|espanol|frances|francais|anglais|allemand|espagnol"
)
_SIGNS = (
    "dash(?:es)?|hyphens?|bars?|pipes?|commas?|semicolons?|colons?|full stops?|periods?"
    "|slash(?:es)?"
    "|stars?|asterisks?|arrows?|plus(?:es)?|bullets?|bullet points?|numerals?|emojis?|smileys?"
    "|emoticons?|exclamation (?:marks?|points?)|question marks?|quotes?|quotation marks?"
    "|(?:round |square |curly )?brackets?|braces|parenthes[ei]s|backticks?|underscores?|hashtags?"
    "|ampersands?|dots?|ellips[ei]s|apostrophes?|oxford comma|trailing comma|signs?"
)
_SHAPE = (
    "syntax|camel ?case|snake_?case|snake case|kebab.?case|pascal ?case|title case"
    "|sentence case|capitals?"
    "|capital letters?|upper ?case|lower ?case|caps|all caps|bold|italics?|markdown|latex|html|json"
    "|yaml|csv|xml|ascii|plain text|prose|code blocks?|code fences?|tables?|lists?|headings?"
    "|headers?"
    "|headlines?|titles?|subtitles?|captions?|paragraphs?|sentences?|words?|lines?|columns?|rows?"
    "|tabs?|spaces?|indent\\w*|blank lines?|line breaks?|newlines?|new lines?|margins?|fonts?"
    "|footnotes?|citations?|sources?|references?|links?|urls?|sections?|points?|steps?|characters?"
    "|letters?|pages?|syllables?|stanzas?|verses?|bullet list|numbered list|one.?liners?|format\\w*"
)
_STYLE = (
    "abbreviations?|acronyms?|jargon|slang|swear ?words?|anglicisms?|buzz ?words?|filler(?: words)?"
    "|cliches?|passive|active|voice|mood|imperative|indicative|subjunctive|tense|present|past"
    "|first person|second person|third person|formal|informal|formally|informally|tone|polite\\w*"
    "|casual\\w*|friendly|neutral|plain|simple|concise\\w*|brief\\w*|short|shorter|longer|detailed"
    "|style|wording|humou?r|jokes?|rhymes?|metaphors?|british|american|spelling|spellings"
    "|pronouns?|adjectives?|adverbs?|contractions|du|sie|usted|tu|vous|surnames?|first names?"
    "|last names?|full names?|titles|initials"
)
_UNITS = (
    "metric|imperial units?|units?|celsius|fahrenheit|kelvin|grams?|grammes?|kilograms?|kilos?"
    "|ounces?|pounds|cups|spoons|litres?|liters?|millilit\\w+|ml|miles|kilomet\\w+|met(?:re|er)s?"
    "|centimet\\w+|inches|euros?|dollars|cents|francs|currency|currencies|net|gross|decimals?"
    "|decimal (?:places?|points?|comma)|digits?|percent(?:age)?s?|fractions?|iso|24.?hour\\w*"
    "|12.?hour\\w*|am/pm|utc|time ?zones?|dates?|thousands separators?|account numbers?|rounding"
)
_PARTS = (
    "signature|greetings?|salutation|sign.?off|intro|introduction|conclusion|summary|summaries"
    "|disclaimers?|caveats?|apolog\\w+|preamble|small talk|flattery|praise|warnings?|notes?"
    "|comments?|docstrings?|type hints?|type annotations?|annotations?|f.?strings?|semi.?colons?"
    "|const|let|var|async|await|lambdas?|list comprehensions?|constants?|subject line|subject"
    "|postscript|ps|examples?|placeholders?|variable names?|function names?|names?|imports?"
    "|print statements?|exceptions?|logging|tests?|ingredients?|oven temperature|totals?|sums?"
    "|results?|answers?|explanations?|calculations?|working|prices?|tax|vat|order|sequence"
    "|alphabet\\w*|chronolog\\w*|questions?"
)
_ABROAD = (
    "(?:gedanken|binde|schrag)?striche?n?|kommas?|punkte?n?|aufzahlung\\w*|stichpunkte?n?|tabellen?"
    "|absatze?n?|satze?n?|worter?n?|anrede|datum|betrage?|grossbuchstaben|kleinbuchstaben"
    "|fettschrift|uberschrift\\w*|gramm|imperativ|passiv|konjunktiv|praesens|hoflich\\w*|formlich"
    "|du.?form|sie.?form|guiones?|comas?|vinetas?|tablas?|titulos?|mayusculas|minusculas|gramos"
    "|fechas?|imperativo|emoticonos|tirets?|virgules?|puces?|tableaux?|titres?|majuscules"
    "|minuscules|grammes|imperatif|vouvoiement|tutoiement"
)
FORM_NOUN = (
    rf"(?:{_LANGUAGES}|{_SIGNS}|{_SHAPE}|{_STYLE}|{_UNITS}|{_PARTS}|{_ABROAD}"
    r"|[\w-]+(?:ed|ing|al|ive|tic|ish|ese)? (?:style|tone|form|format|order|spelling|units|case))"
)
"""A word for a sign, a unit, a part, a tone or a language: what form is made of."""

_FORM_VERBS = (
    "uppercase lowercase bullet use put keep start begin open end finish close join"
    " separate format answer reply respond speak"
    " talk address call sign spell capitalise capitalize number order group leave omit drop skip"
    " remove avoid limit round quote cite mention say state name stick prefer replace reverse flip"
    " indent wrap bold be stay break split highlight underline repeat mark label prefix append"
    " prepend refer write phrase word express measure "
    "place lead introduce abbreviate mind respect follow"
    " italicise italicize hyphenate punctuate align center centre pad cut trim restrict"
)
_WORK_VERBS = (
    "back check run test ask read look think try make do go take get let add explain tell send save"
    " commit push pull create delete change edit rename move copy import export verify confirm"
    " double-check doublecheck proofread review validate warn note consider assume wait stop quit"
    " calculate compute compare describe define draft summarise summarize translate generate"
    " compose prepare plan suggest recommend propose offer find search fetch open install update"
    " build compile deploy merge rebase squash document handle catch log raise throw cast wash peel"
    " chop cook bake boil fry preheat cool weigh season "
    "taste stir serve book post invoice file scan"
    " staple print attach forward cc bcc archive schedule bring consult prove justify point tidy"
    " clean pin lock escape sanitise sanitize initialise initialize declare define rinse drain rest"
    " treat stay work provide present mention remember remind acknowledge thank greet adapt adjust"
    " give show list include sort convert count return print output set type tag cut trim apply"
    " correct fix redo rewrite rephrase simplify expand reduce increase lower raise swap"
    " salt grease butter knead glaze sprinkle dust roast grill poach blanch steam sear"
    " marinate mix fold"
    " beat whisk sift pour drizzle garnish squeeze rub heat warm chill freeze thaw stamp"
    " initial lint"
    " touch promise apologise apologize escalate mask hide reveal guess quit lead own sum"
    " annotate mock stub cache retry assign allocate credit debit accrue"
    " switch turn prefer pay enter record reconcile deduct subtract multiply divide allow help"
)
_VERBS_ABROAD = (
    "verwende benutze nimm nutze schreib schreibe antworte beginne beginn fang ende beende setz"
    " setze stell stelle lass vermeide sprich duze "
    "sieze runde trenne verbinde formatiere fass fasse"
    " gib zeig zeige mach mache nenne nenn prufe pruf sichere sicher rechne bleib bleibe halte halt"
    " usa utiliza escribe responde empieza comienza termina pon evita anade separa une habla haz"
    " muestra deja indica contesta revisa redondea utilise emploie ecris reponds commence termine"
    " mets evite ajoute separe parle fais montre laisse indique verifie arrondis garde"
    " utilisez ecrivez repondez commencez mettez evitez use escriba responda ponga"
)
FORM_VERBS = frozenset(_FORM_VERBS.split())
VERBS = FORM_VERBS | frozenset(_WORK_VERBS.split()) | frozenset(_VERBS_ABROAD.split())
"""Base forms with which an instruction opens."""

_HAS_FORM_ABROAD = re.compile(rf"\b(?:{_ABROAD})\b")
_HAS_FORM = re.compile(rf"\b{FORM_NOUN}\b")
_PLACE = re.compile(
    r"\b(?:instead|rather than|first|last|at the (?:very )?(?:start|beginning|end|top|bottom"
    r"|front)"
    r"|(?:under|below|within|at most|no more than|up to) (?:\d+|an?|one|two|three|five|ten"
    r"|fifty)\b"
    r"|one by one|in (?:full|brief|short|reverse|alphabetical \w+)|am (?:anfang|ende)|zuerst"
    r"|zuletzt"
    r"|statt|anstatt|en lugar de|al (?:principio|final)|primero|au lieu de|(?:au|a la) (?:debut"
    r"|fin)"
    r"|dabord|en premier)"
)
_NEW_THING = re.compile(
    r"^(?:add|give|show|list|include|name|write|make|print|return|output|set|put together|draft"
    r"|create|compose|generate|prepare|suggest|tell|find|explain|describe|start|begin|open|plan)"
    r"(?: me| us| him| her| them| it)?(?: up)? (?:an?|another|some|more|the following|new|\d+"
    r"|two|three|five|ten|ten more"
    r"|all|any|how|what|why|where|about|my|qq)\b"
)
_NOT_FOR_FORM = re.compile(
    r"\b(?:following|below|above) \w+|^\w+ (?:this|these|my|qq)\b|^use the (?:words?|names?"
    r"|numbers?|letters?)\b|^write (?:the same|(?:the"
    r"|an?) (?:[\w-]+ ){1,3}(?:for|to|about|of|on)\b)|^use [\w.+#-]+ to (?!separate|join)\w+"
)
_SHOWS = "show give list include mention name print state output"
_SHOWING = frozenset(_SHOWS.split())
_PREFERS = re.compile(
    r"^(?:use|write|say|put|call it|prefer|speak) (?!the (?:first|second|third|other|last|left"
    r"|right|old|new)"
    r"\b)[\w./+#-]+(?: [\w./+#-]+){0,4} (?:not|instead of|rather than"
    r"|over) [\w./+#-]+(?: [\w./+#-]+){0,5}$"
    r"|^keep (?:it|them|things|everything|your \w+) (?:very |more )?(?!up|going|coming"
    r"|safe|it)\w+$|^(?:call|address) (?:me|us|him|her|them) \w+"
)
"""One thing rather than another is a taste, not a task."""
_QUOTED_WORDS = re.compile(
    r"^(?:(?:say|write|use|call it|put) .*qq.* (?:not|instead of|rather than) .*qq.*"
    r"|(?:say|write|use) qq)$"
)
_MANNER = re.compile(
    r"^(?:(?:it|more|less|to me) )*(?:\w{3,}ly|normally|briefer|shorter|like a human)$"
)
_WRITES_SO = re.compile(
    r"^(?:(?:it|them|that|this|everything|all \w+|me|always|only) )?(?:in|with|without|as|like"
    r"|out|under"
    r"|at most|no|only|less|more|fewer|shorter|longer|short|long|full|complete|formal|simple"
    r"|british"
    r"|american|\w+s|the (?:date|year|amount|name|number|unit|price|time|title|heading|total)s?)\b"
)
"""What to write is content, unless it is said how."""
_BEFORE_VERB = re.compile(
    r"^(?:do not|never|always|no longer|please|kindly|bitte|por favor|nie|niemals|immer"
    r"|siempre|nunca"
    r"|toujours|jamais|only|just|not to|to|rather|ne)\s+"
)


def bare(words: str) -> str:
    """An instruction without "please", "always", "do not" before its verb."""
    while found := _BEFORE_VERB.match(words):
        words = words[found.end() :]
    return words


def is_instruction(words: str) -> bool:
    """It opens with the base form of a verb: "put …", "do not put …", "always put …"."""
    first = bare(words).split(" ", 1)[0]
    return first in VERBS


def names_form(words: str) -> bool:
    """It speaks of a sign, a unit, a part, a tone, a language, or of what stands where."""
    return bool(_HAS_FORM.search(words) or _PLACE.search(words))


def speaks_abroad(words: str) -> bool:
    """It names form in German, Spanish or French."""
    return bool(_HAS_FORM_ABROAD.search(words))


def is_new_thing(words: str) -> bool:
    """It asks for something that was not there before: "give me a …", "add another …"."""
    return bool(_NEW_THING.match(bare(words)))


def about_form(words: str) -> bool:
    """An instruction on how, not what, that asks for no new thing."""
    rest = bare(words)
    if is_new_thing(rest) or _NOT_FOR_FORM.search(rest):
        return False
    verb, _, governed = rest.partition(" ")
    if verb == "use":
        governed = " ".join(governed.split()[:6])
    if _QUOTED_WORDS.match(rest):
        return True
    if _PREFERS.match(rest) or (verb in _SHOWING and _PLACE.search(governed)):
        return True
    known = verb in FORM_VERBS or verb in _VERBS_ABROAD.split()
    if verb in ("speak", "talk", "write", "answer", "reply") and _MANNER.match(governed):
        return True
    return known and names_form(governed) and (verb != "write" or bool(_WRITES_SO.match(governed)))
