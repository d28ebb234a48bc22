"""What stands at the front of a message before it says anything: fillers, thanks, praise, courtesy.

"Hmm, sorry, but" says nothing, "no problem" says nothing although it opens with "no", and "thanks"
says something only where it opens the message: behind a request it is part of the request. All
texts are in the one spelling of `own_words.plain`.
"""

from __future__ import annotations

import re

from lull.core import cues_abroad as abroad

_FILLER = re.compile(
    r"^(?:hm+|mhm|umm?|uh+|ah+|oh|ok(?:ay)?|okey|well|so|sorry|hey|wait|hold on|hang on|hi|hello"
    r"|ugh+"
    r"|argh+|ew+|yikes|yuck|whoa|gosh|lol|haha|dude|bro|man|mate|look|ehm|erm|er|yeah|yes|yep|yup"
    r"|sure|right|and|but|also(?= (?:you|it|the|that|there|this|your)\b)|plus|because|though"
    r"|although|however|except|honestly|unfortunately|sadly"
    r"|i (?:really |still |just )?(?:think|believe|guess|feel|suppose|suspect|notice|noticed|see)"
    r"(?: like| that(?= (?:it|this|the|that|you|your|there|i)\b))?"
    r"|i am (?:afraid|sorry|pretty sure|fairly sure|quite sure|sure)(?: but)?(?: that(?= (?:it"
    r"|this|the|that|you|your|there|i)\b))?"
    r"|pretty sure"
    r"|it (?:seems|looks like)(?: that)?|seems like|looks like|as far as i (?:can (?:see|tell)"
    r"|know)"
    r"|afaik|tbh|to be honest|fyi|btw|by the way|ffs|omg|wtf|jeez|damn|dammit|oops|come on"
    r"|seriously"
    r"|really|please|dear|excuse me|my god|god|for the record|kindly|not to be rude"
    r"|just|the (?:only )?(?:problem|issue|thing|trouble|point) is(?: that)?|only|first of all"
    r"|first"
    r"|again|already|better|closer|getting closer|getting there"
    r"|good (?:start|try|effort|attempt)|nice (?:try|effort|start|attempt)"
    r"|nein|leider|naja|ach|doch|bueno|pues|oye|perdon|desole|pardon|euh|alors|bon)(?: |$)"
)
_SPEAKS_ITSELF = re.compile(r"^(?:again|already|only|just|first|better|closer)\b")
""" "Again, but …", "just the code": here the filler is the message."""

_THANKS = re.compile(
    r"^(?:(?:many|a thousand) )?(?:thanks|thank you|cheers|much appreciated|appreciated"
    r"|appreciate (?:it|that|this)|i (?:really )?appreciate|ta|bless you)(?= |$)"
    r"(?! (?:in advance|for nothing|but no thanks|to)\b)"
)
_BEFORE_PRAISE = (
    r"(?:(?:ok|okay|that is|this is|it is|they are|these are|that was|it was|they were|looks?"
    r"|(?:it|that|this|all) looks|sounds|all|very|so|really|just|pretty|absolutely|actually|now"
    r"|simply|both|quite|how|what a|much|you are|yes|yep|oh|a|an|the|even|wow) )*"
)
_PRAISE = re.compile(
    rf"^{_BEFORE_PRAISE}(?:perfect|perfectly|great|awesome|amazing|excellent|brilliant|wonderful"
    r"|fantastic|superb|lovely|beautiful|nice(?: one| work| job)?|neat|sweet|cool|bingo|exactly"
    r"|precisely|spot on|good(?: job| work| stuff| one| enough)?|bang on|on point|ideal|impressive"
    r"|outstanding|(?:right|correct)(?=$)|(?<= )(?:fine|ok|okay|it|enough|all i needed|clear)(?=$)"
    r"|a lifesaver|a star|a legend|a genius|well done|better|magic|yummy|tasty|delicious"
    r"|makes sense"
    r"|helpful|useful|got it|solved|fixed|helped|works|worked|bravo)(?= |$)"
    # "Great Expectations", "good question", "nice is in France": the word governs something else.
    r"(?! (?:expectations|britain|wall|is\b|are\b|question|morning|evening|night|afternoon|day\b"
    r"|to meet|idea\b|point\b|luck|friday|in \w+$|lakes|gatsby|dane|depression|grief|can you"
    r"|could you|would be|if\b|how\b|place|way\b|of me|time\b|for me to|with me|enough to|or\b"
    r"|not\b"
    r"|but not\b|hash|number|storm|tense|square|copy))"
)
_SUCCESS = re.compile(
    r"^(?:(?:actually|ok|oh|yes|wow|and|so|yeah|well|finally|now|great) )*"
    r"(?:you (?:really )?(?:saved|made (?:my|me|it)\b|rock|rule|nailed"
    r"|are (?:a|the|awesome|great|amazing|brilliant)\b)"
    r"|(?:i (?:really |absolutely |just )?(?:love|like)|love|loving|loved|she loved|he loved"
    r"|they loved)"
    r" (?:it|this|that|the|how)\b"
    r"|(?:just |exactly )?what i (?:needed|wanted|was looking for|meant|asked for)(?! (?:was|is"
    r"|were)\b)"
    r"|works? (?:like a charm|fine|great|perfectly|now|well|for me)"
    r"|(?:it|that|this|everything|all) (?:now )?(?:works|worked|compiles|runs|helps|helped"
    r"|passes|fits"
    r"|did it|does it|did the (?:trick|job)|does the (?:trick|job)|nailed it|solved it|fixed it"
    r"|makes sense|will do|rhymes)\b"
    r"|(?:it|that|this|they) (?:is|are|was) (?:exactly|just|precisely|totally) (?:what|how|the) .*"
    r"|(?:it|that|this) is (?:it\b|what i (?:needed|wanted|meant|was \w+)"
    r"|how i (?:wanted|like)|the one i (?:meant|wanted))(?: \w+)*"
    r"|problem solved|mission accomplished|chefs? kiss|10/10|full marks|lgtm|ship it"
    r"|i am (?:very |so |really )?(?:happy|impressed|pleased|satisfied)|that is (?:it|all|enough)$"
    r"|all (?:green|good|clear|done|set)(?: now)?|all tests pass|no more (?:errors|problems|bugs"
    r"|issues)"
    r"|looks? (?:good|great|fine|right|perfect|nice|correct)(?: to me)?"
    r"|not bad|not too bad|could not be better|can not complain|no complaints|nothing to add"
    r"|even better)"
)
_SAID_IT_WORKS = re.compile(
    r"\b(?:perfect|exactly|works|worked|working|brilliant|love|loved|awesome|amazing|excellent"
    r"|spot on"
    r"|nailed|saved|great|fantastic|wonderful|lifesaver|(?:did|does) the (?:job|trick)|right"
    r"|correct"
    r"|helped|helpful|solved|fixed|beautiful|lovely|superb|lgtm|green|perfekt|perfecto|parfait"
    r"|klappt|funktioniert|passt|funciona|marche)\b"
)
_BEHIND_PRAISE = re.compile(
    r"^(?:(?:overall|(?:the|your) (?:effort|help|work|attempt|try|quick \w+)|so far|in general"
    r"|mostly"
    r"|otherwise|apart from that|a lot|so much|very much|a bunch|a million|a ton|again"
    r"|for \w+(?: \w+){0,4}|man|mate|bro|dude|anyway|indeed|i needed|already|now|you|job|work"
    r"|everyone"
    r"|much|to me|answer|stuff|start|try|effort|attempt|draft|beginning|sauce|sehr|schon|dir"
    r"|beaucoup|mucho|muchas|das \w+|so)(?: |$))+"
)
_COURTESY = re.compile(
    r"^(?:no (?:problem\w*|prob|probs|worries|rush|hurry|pressure|biggie|sweat|offen[cs]e"
    r"|harm done"
    r"|thanks|thank you|need|idea|clue|doubt|matter|way to know|more questions?|further questions?"
    r"|one|wonder|kidding|longer|questions|complaints|bother|big deal|objections?|preference"
    r"|comments?"
    r"|reason|i am (?:good|fine|ok|okay)|i do not need|all good|all fine"
    r"|(?:that|it) is (?:all|it|enough|everything|ok|okay|fine|good|all good|alright))"
    r"|never mind|do not worry|not to worry|do not bother|all good|all right|alright|not at all"
    r"|you (?:are|were) (?:right|welcome)|fair (?:enough|point)|good point"
    r"|my (?:mistake|bad|fault|error)|i (?:was|am) (?:wrong|mistaken)"
    r"|that is (?:all|everything|enough)(?= for| i\b|$| thanks| now)"
    r"|i (?:misread|misspoke|mistyped|misunderstood|overlooked)|sorry my|i stand corrected"
    r"|good (?:question|morning|evening|afternoon|night))\b"
)
_ENDS_THERE = ("no need", "no idea", "no clue", "no one", "no matter", "no longer", "no doubt")
_OWN_FAULT = re.compile(
    r"\b(?:my (?:mistake|bad|fault|error|typo)|i (?:was|am|got it) (?:wrong|mistaken)"
    r"|i (?:misread|mistyped|misspoke|miswrote|misremembered|had a typo"
    r"|made (?:a|the) (?:mistake|typo|error))|i (?:had )?(?:forgot|forgotten) to|typo on my"
    r"|on my (?:side|end)|you (?:are|were) right"
    r"|wrong (?:tab|window|chat|channel|thread|room|button|paste|clipboard)"
    r"|(?:ignore|disregard) (?:that|this|my last))\b"
)


def stripped(clause: str) -> str:
    """The clause without the fillers at its front."""
    while (found := _FILLER.match(clause)) and not _SPEAKS_ITSELF.match(clause):
        clause = clause[found.end() :].strip()
    return clause


def behind_courtesy(clause: str) -> str | None:
    """What follows "no worries" or "never mind"; None where the clause opens with no such thing."""
    found = _COURTESY.match(clause) or abroad.NEUTRAL_ABROAD.match(clause)
    if found is None:
        return None
    return "" if clause.startswith(_ENDS_THERE) else clause[found.end() :].strip()


def behind_thanks(clause: str) -> str | None:
    """What follows "thanks a lot for the help", or a word that it works; None without either."""
    found = _THANKS.match(clause) or _SUCCESS.match(clause) or abroad.THANKS_ABROAD.match(clause)
    return _rest(clause, found)


def behind_praise(clause: str) -> str | None:
    """What follows "perfect" or "looks good overall"; None without such a word."""
    return _rest(clause, _PRAISE.match(clause))


def _rest(clause: str, found: re.Match[str] | None) -> str | None:
    return _BEHIND_PRAISE.sub("", clause[found.end() :].strip()) if found else None


def says_it_works(clause: str) -> bool:
    """More than a courtesy: the answer is called right, or helped."""
    return bool(_SAID_IT_WORKS.search(clause))


def own_fault(words: str) -> bool:
    """The user takes the blame: then nobody else has it."""
    return bool(_OWN_FAULT.search(words))
