"""What stands around a rule in a correction and is no part of it: "no,", "next time", "please".

Taken off are the words by which people come to the point and by which they are polite, and it is
noted whether they said that the rule is meant for good. What is left is the user's own, verbatim.
"""

from __future__ import annotations

import re

from lull.core.form import is_instruction
from lull.core.own_words import plain

_JOIN = r"[\s,.:;!?…–—-]*"
_TO_WORDS = r"(?=[\s,.:;!?…–—-]|$)"
_STANDING_LEAD = re.compile(
    rf"^{_JOIN}(?:next time|from now on|in (?:the )?future|going forward|for (?:next time"
    rf"|the future)"
    r"|from here on|henceforth|remember(?! that\b)(?: to)?|rule of thumb(?: for next time)?"
    r"|(?:house|team|company|general) (?:rule|convention|policy)|as a (?:general )?rule|by default"
    r"|(?:as|like) i (?:already )?(?:said|told you)|i always (?:want|need|prefer)|i"
    r" (?:have |'ve )?(?:already |just "
    r"|specifically |explicitly"
    r"|clearly )*(?:told you|said|asked you)(?: before| already)?"
    r"|n[äa]chstes mal|beim n[äa]chsten mal|ab jetzt|ab sofort|k[üu]nftig|in zukunft"
    r"|ich habe? (?:dir |doch |schon )*gesagt|la pr[óo]xima vez|a partir de ahora"
    r"|de ahora en adelante"
    rf"|la prochaine fois|d[ée]sormais|dor[ée]navant|[àa] l'avenir){_TO_WORDS}(?: to\b(?!"
    rf" be))?{_JOIN}",
    re.IGNORECASE,
)
_LEAD = re.compile(
    rf"^{_JOIN}(?:no+|nope|nah|hm+|uh+|ugh+|argh|(?:wrong(?: again)?|incorrect|great|good"
    rf"|nice|perfect|(?:much )?better|almost|close|fine|man|look|listen|looks good|falsch"
    rf"|(?:just |only )?one (?:more |small |last )?(?:thing|change"
    rf"|correction))(?=\s*[,.:;!–—-]|\s+but\b|$)|not (?:like (?:that"
    rf"|this)|so|quite"
    r"|really|that|this)|that(?:'s| is|s) (?:wrong|incorrect|not (?:right|correct|it"
    r"|what i (?:asked|meant|wanted)"
    r"(?: for)?))|(?:many )?thanks(?: a lot| so much| for \w+(?: \w+)?)?|thank you(?: so much"
    r"| very much)?|ok(?:ay)?|sorry|please|pls|plz"
    r"|kindly|just|but|and|so|again|well"
    r"|hey|yes|try again|do it again|once more|this time|actually|instead|however|dude"
    r"|(?:could|can|would|will) you|would you mind|you (?:should|must|need to|have to|ought to)"
    r"|make sure (?:to|that you|you)|be sure to|try to|i (?:want|need|wanted|'d like"
    r"|would like) you to"
    r"|i (?:asked for|wanted|want|need|would like|'d like|'d rather have"
    r"|would rather have)(?: it| this| that| them)?"
    r"|i(?: would|'d)? (?:prefer|rather have)(?: it)?(?: if you)?|it would be (?:better|nicer"
    r"|nice) (?:if you|to)"
    r"|nein|nee|nicht so|danke|bitte|aber|non|pas comme [çc]a|merci|mais|gracias|pero"
    r"|por favor"
    rf"|s'il (?:te|vous) pla[îi]t|as[íi] no){_TO_WORDS}{_JOIN}",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"(?:[\s,]+(?:please|pls|thanks|thank you|instead|ok(?:ay)?|again|though|bitte|por favor"
    r"|s'il (?:te|vous) pla[îi]t|merci|gracias|danke))*[\s.!?…,;:]*$",
    re.IGNORECASE,
)
_STANDING_TRAIL = re.compile(
    r"[\s,]+(?:next time|from now on|in (?:the )?future|going forward|every time|always|each time"
    r"|n[äa]chstes mal|ab jetzt|in zukunft|la pr[óo]xima vez|la prochaine fois)[\s.!?…]*$",
    re.IGNORECASE,
)


def without_lead(text: str) -> tuple[str, bool, bool]:
    """The words behind every lead-in and before every trailing courtesy, whether one of them said
    that it is meant for good, and whether there was any."""
    standing = led = False
    text = re.sub(rf"^{_JOIN}", "", text)
    while True:
        if found := _STANDING_LEAD.match(text):
            standing = True
        else:
            found = _LEAD.match(text)
        if not found or not found[0].strip():
            break
        if _is_head_of_rule(text, found[0]):
            break
        led, text = True, text[found.end() :]
    while True:
        before = text
        if found := _STANDING_TRAIL.search(text):
            standing, text = True, text[: found.start()]
        text = _TRAIL.sub("", text)
        if text == before:
            return text.strip(), standing, led


def _is_head_of_rule(text: str, lead: str) -> bool:
    """ "No emojis", "just the code", "good morning is enough": here the lead-in is the rule."""
    first = lead.strip().lower()
    if first in ("no", "just") and not re.search(r"[,.:;!–—-]", lead):
        rest = plain(text[len(lead) :])
        return first == "just" or not (
            is_instruction(rest)
            or rest.startswith(("i ", "it ", "that ", "the ", "when ", "for ", "not "))
        )
    return False
