"""Wishes about an answer: do it again, make it shorter, use dashes, from now on …

A wish says how the answer should have been without calling it wrong. It may be meant for good
("always", "when you write a menu") or for this answer; which of the two is `stated_rule`'s
question. Whether a wish speaks of the answer before at all, or belongs to a fresh request, is
`corrections`' question. All texts are in the one spelling of `own_words.plain`.
"""

from __future__ import annotations

import re

from lull.core.cues import I_ASKED
from lull.core.form import about_form, is_instruction, is_new_thing, names_form
from lull.core.habits import habit_of, names_kind
from lull.core.norms import is_norm

NOT_ENOUGH = re.compile(
    r"^(?:not (?:\w+ )?(?:enough|\w+ enough)|needs? (?:more|less|to be)|could be (?:shorter"
    r"|better|more|less)|should (?:be|have|not)|must be|supposed to|has to be|have to be"
    r"|shouldve)\b(?! (?:enough|fine|ok))"
)
REDO = re.compile(
    r"^(?:(?:please|just|let us|lets|you can|can you|could you|would you|now|then|ok"
    r"|i want you to|you have to|go back and) )*"
    r"(?:(?:and )?again(?:$| (?:but|please|with|without|in|this time|properly|shorter|as|using"
    r"|and|only|from|correctly))|once (?:more|again)(?:$| (?:but|please|with|without|in|properly"
    r"|as|using))|one more time|another (?:try|attempt|go)"
    r"|(?:try|do|write|phrase|send|give|make|translate|format|answer|run|calculate|put|count"
    r"|check|read|look|think) (?:it |that |this |them |me |the \w+ )*(?:all )?(?:again|over"
    r"|once more|harder|properly|right|correctly|one more time|differently|better)\b"
    r"|(?:check|double-check|recheck|verify|correct|mind|watch) your\b|(?:redo|re-do|recount"
    r"|recheck|recalculate|reread|re-read|resend|recompute|retry)\b|start (?:over"
    r"|again)(?! with (?:a new|another)| on)"
    r"|from scratch|rewrite (?:it|that|this|the)\b|rephrase (?:it|that|this)|reword (?:it|that"
    r"|this)|fix (?:it|that|this|them|your|the (?:\w+ ){0,2}(?:order|date|format|total|sum"
    r"|spelling|indentation))\b|correct (?:it|that|this|yourself|your)\b|same (?:thing |again "
    r"|one |as before )?(?:but|only) "
    r"|(?:swap|reverse|flip|reorder|rearrange) (?:it|them|these|those|the two)\b|(?:undo|revert"
    r"|change|put|switch) (?:it|that|this|them"
    r"|the (?:\w+ ){1,2})(?: back)\b|undo (?:it|that|this)|revert (?:it|that|this)|drop (?:it"
    r"|that|this)|scrap (?:it|that|this))"
)
"""Again, but …; try again; redo it; change it back."""
CAME_BACK = re.compile(
    r"^(?:i will|i would|i may|i might|let me|we|i can|i am going to|tomorrow)\b"
)

STANDING = re.compile(
    r"^(?:from now on(?:wards)?|next time(?: around)?|in (?:the )?future(?! tense)|going forward"
    r"|for the future|every (?:single )?time|each time|henceforth|by default"
    r"|as a (?:general )?rule|for (?:next time|later|future)|in general|generally"
    r"|from here on(?: out)?|(?:where|if|when|as far as|wherever) (?:possible|needed|necessary"
    r"|in doubt|unsure)|the next time|whenever(?: possible)?)\b"
)
HOUSE_RULE = re.compile(
    r"^(?:(?:the |a )?(?:house|team|company|office|general|style|our|golden) (?:rule|convention"
    r"|style guide|policy|standard|guideline|practice)s?(?: is| says| here is)?\b"
    r"|our [\w ]{2,20} (?:says|requires|wants|asks for)\b|rule of thumb\b"
    r"|(?:please )?remember(?: that (?!time|day|song|film|movie)|$))"
)
"""Whatever follows is meant to last."""
SITUATION = re.compile(
    r"^(?:when(?:ever)?|every time|each time|any time|if|before|after|where|once|unless"
    r"|as soon as) (?!you (?:have time|are (?:done|ready|finished|free)|get a chance|finish|come"
    r"|can$|go|were|visit|travel|grow)|that|it|the [\w ]+ (?:is|are) (?:done|ready)"
    r"|possible$)(?:you|i|we|someone|somebody|anyone|there|writing|making|giving|answering|asked"
    r"|talking|speaking|listing|using|doing|creating|\w+ing|a|an)\b"
)
"""When you write a menu; for a label: what follows the comma is an instruction."""
FOR_A = re.compile(
    r"^(?:for|in|with|on) (?:an?|any|all|every|each|my|our|the|these|such|(?:[\w-]+ ){0,2}\w+s)\b"
    r"(?! while| moment| second| minute| bit| change| start| now| time being| record)"
    r"(?: [\w-]+){0,5}$"
)
WE_DO = re.compile(
    r"^(?:(?:in|for|with|on) our (?:\w+ ){1,3})?(?:we (?:always|never|usually|normally|only)"
    r"|we do not|i (?:always|never|only) (?=write|use|put|say|start|sign|spell|call"
    r"|format)) ?(?!been|had|wanted|have|wondered|got|saw|heard|received|went|came|met|found|knew"
    r"|thought|\w{3,}ed\b(?<!need))\w+"
    r"|^(?:in|at) our (?:house|home|team|company|office|shop|firm|group|project|school)"
    r" (?!we\b|there (?:was|were)|it (?:was|is))(?:\w+ ){1,4}\w+"
)
"""How it is done here."""
DO_NOT = re.compile(
    r"^(?:(?:please|just|and|but|also|so|kindly|omg) )*(?:do not(?: ever| even| just)?"
    r"|never(?: ever)?|stop(?: with)?|quit|no need to|avoid|refrain from|enough with|lose the"
    r"|cut the|skip the|ditch the|drop the|get rid of|leave out|spare me|no more|less"
    r"|fewer) (?!errors?\b|problems?\b|questions?\b|issues?\b|bugs?\b|complaints?\b|worry"
    r"|going to|bother|mind|know|you (?:think|know|want)|get me wrong|hurry|think|forget"
    r"|understand|have|be (?:sorry|silly|long)|care|remember|see|been|seen|heard|had|knew"
    r"|thought|tried|got|did|was|were|for (?:today|now|tonight)|signs?|words?|motion"
    r"|loss|watch|bus|the (?:server|process"
    r"|service|container|timer|music)|at\b|in\b|there|it$|here|now$|by\b|a minute|that$|like$"
    r"|really|saying|is\b|than\b)[\w-]+"
)
"""Do not use …, stop …ing, no more …"""
DO_OTHERWISE = re.compile(
    r"^(?:please )?(?:do not|never) sign\b"
    r"|^instead of [\w .'-]{2,40}? (?:say|use|write|put|call|name)\b"
    r"|^it (?:has to|must|needs to|should) (?:also )?(?:mention|include|contain|say|state|name)\b"
)
"""Do not sign …, instead of … say …, it has to mention …"""
ALWAYS = re.compile(
    r"^(?:(?:please|just|and|but|also|you should|you must|i want you to|remember to"
    r"|remember) )*always (?!wanted|thought|liked|loved|been|had|was|wondered|knew|happy|a |an "
    r"|the |there|here|good|nice|great|helpful|hated|believed|dreamed|dreamt|been|heard|used to"
    r"|struggled|look(?:ing)? forward|on time|\w+ed\b(?<!need)(?<!embed))\w+"
)
COMPARED = re.compile(
    r"^(?:(?:please|just|and|but|also|now|a bit|a little|bit|much|even|slightly|way|far|still"
    r"|little|make (?:it|this|that|them|the \w+)|keep (?:it|this|that|them)|needs? to be"
    r"|should be|must be|say it|write it|phrase it|put it|turn (?:it|this|that)) )*"
    r"(?:shorter|longer|simpler|briefer|clearer|warmer|softer|friendlier|smaller|bigger|larger"
    r"|tighter|punchier|easier|cleaner|smoother|stronger|nicer|funnier|slower|faster|politer"
    r"|kinder|drier|looser|less \w+|(?:more|not so|not as|not too|less) (?:formal|informal"
    r"|polite|casual|concise|detailed|specific|professional|natural|friendly|readable|precise"
    r"|compact|neutral|direct|serious|personal|humble|long|short|stiff|fancy|complicated"
    r"|technical|emotional|salty|sweet|spicy|dry|wordy|elegant|idiomatic|human|modern|british))"
    r"(?: please| then| this time| again| ok| and \w+| version| pls| than that| than this"
    r"| if (?:you can|possible))*$"
)
"""Shorter, please; make it less formal."""
MAKE_IT = re.compile(
    r"^(?:please )?(?:make|keep|cut|trim|shorten|condense|tighten|simplify|boil) (?:it|them|that"
    r"|this(?= (?:down|up|to|in|shorter|short|more|less|a bit|simpler)\b|$)|your \w+)(?: (?!so\b"
    r"|up$|going|coming)\w+){0,6}$|^(?:please )?(?:tone|dial|water|dumb|slim|trim|cut|spice|jazz"
    r"|liven|loosen|tidy|clean|break|speed|slow) (?:it|this|that|them|the \w+) (?:down|up|back"
    r"|out)\b|^(?:please )?(?:do|write|say|phrase|solve|put) (?:it|that|this) (?:without|with|in"
    r"|using|as|differently|another way|some other way)\b|^leave (?:my|the|it|them|all|those"
    r"|these|that|everything)\b.*\b(?:alone|as (?:it|they|is)|untouched|unchanged|in \w+)\b"
)
IN_OR_WITHOUT = re.compile(
    r"^(?:and |but |please |just |only |now )?(?:in|with|without|as|using) (?:\w+ ){0,4}?"
)
JUST_THIS = re.compile(
    r"^(?:just|only) (?:(?:answer|give|say|do|write|reply|send|print|output|show)\b(?: \w+){0,6}"
    r"|(?:the|a|an|yes|no|code|plain|one|two|three|text|numbers?|names?)\b(?! (?:sec|second"
    r"|moment|minute|thought|question|joke|idea|heads|note|quick|bit|little"
    r"|test))(?: \w+){0,4})$"
)
CONTRAST = re.compile(
    r"^(?:the |a |an |in |with |it is |that is |this is |he is |she is |they are |i need "
    r"|i want )?(?!i (?:am|have)\b)[\w .%/-]{1,40}?(?<!\bdo)"
    r"(?<!\bdoes)(?<!\bdid)(?<!\bis)(?<!\bare)(?<!\bwas)"
    r"(?<!\bwere)(?<!\bwill)(?<!\bcan)(?<!\bcould)(?<!\bwould)"
    r"(?<!\bshould)(?<!\bhas)(?<!\bhave)(?<!\bhad)(?<!\bmay)"
    r"(?<!\bmight)(?<!\bmust)(?<!\bam)(?<!\bor)(?<!\bwhy)(?<!\bif)(?<!\bwhether) (?:and "
    r"|but )?not (?:the |an? |in |with |as )?[\w.%/-]+(?: [\w.%/-]+){0,3}$"
)
NO_THING = re.compile(
    r"^no (?!more (?:for (?:today|now|tonight)|questions?)\b)(?:more |extra |such |fucking )?"
    r"(?:[\w-]+ ){0,2}?[\w-]+(?: please| at all| ever"
    r"| again)?$"
)
MISSING = re.compile(r"^(?!my |our |i )(?:the )?(?:[\w-]+ ){1,3}(?:is |are )?missing$")
SPELLED = re.compile(
    r"^(?:it|that|this|his name|her name|my name|the name|the \w+) (?:is|was) (?:actually "
    r"|really |in fact |now )?(?:spelled|spelt|written|called|pronounced|actually|really"
    r"|in fact)\b"
)
IN_FACT = re.compile(r"^(?:actually|in fact|in reality|fact is)\b ?(?=\w)")

SHORT_WORDS = 14
"""A longer clause than this is no mere wish about form."""

_ADDS = re.compile(
    r"^(?:(?:please|can you|could you|would you) )*"
    r"(?:also|now|next|then|additionally|and also|too)\b|\b(?:also|as well|too)$"
)
_NEEDS = re.compile(
    r"^(?:i (?:need|want|would like)|(?:this|that|it) is|we (?:need|use|want))"
    r" (?!an? |some |to |my |more )(?:\w+ ){0,3}?\w+$"
)
_WITHOUT_VERB = re.compile(r"(?: please| only)$| (?:as|after|before|in|at|first|last) ")
_NO_FRAGMENT = re.compile(
    r"^(?:more|another|one|some|an?|two|three|the|i|we|it|this|that|yes|no|my|and|now|or|for)\b"
)
_ASKS = re.compile(r"^(?:what|how|why|when|where|who|which|is|are|do|does|can|could|should)\b")
_NAMED = frozenset({"tldr", "simpler", "metric"})


_LASTING_HEAD = re.compile(
    r"^(?:before you|after you|whenever|every time|each time"
    r"|when you (?:write|make|explain|give|answer|translate|summari[sz]e|describe|list"
    r"|draft|create|show|use"
    r"|change|fix|plan|quote|cite|compare|code|convert|calculate|review|reply|respond)\b)"
)
_ALWAYS_INSIDE = re.compile(
    r"^(?!(?:i|you|he|she|it|that|this|we|they|my|why|how|what|is|are|do|does) )(?:[\w-]+"
    r" ){1,4}(?:always|never) "
)


def is_lasting(clause: str) -> bool:
    """ "Always …", "never …", "amounts always without …", "we never …", "our rule: …"."""
    if clause.startswith("never ") and DO_NOT.match(clause):
        return True
    if ALWAYS.match(clause) or WE_DO.match(clause) or HOUSE_RULE.match(clause):
        return True
    if is_norm(clause) or names_kind(clause):
        return True
    return bool(_ALWAYS_INSIDE.match(clause)) and names_form(clause)


def adds(words: str) -> bool:
    """It goes on from the answer ("now …", "also …") instead of changing it."""
    return bool(_ADDS.search(words)) and not REDO.match(words)


def revises(order: str, *, polite: bool) -> bool:
    """An order to change the answer itself: "make it shorter", "can you use dashes"."""
    if COMPARED.match(order):
        return True
    if is_new_thing(order) or adds(order):
        return False
    if any(cue.match(order) for cue in (REDO, COMPARED, MAKE_IT)):
        return True
    wished = about_form(order) or DO_NOT.match(order) or ALWAYS.match(order) or habit_of(order)
    return polite and bool(wished) and len(order.split()) <= SHORT_WORDS


def states_rule(clauses: list[str]) -> bool:
    """ "When you write a menu, join with bars"; "next time put the date first"."""
    head, then = clauses[0], clauses[1] if len(clauses) > 1 else ""
    if HOUSE_RULE.match(head):
        return bool(then) or len(head.split()) > 2
    if then and SITUATION.match(head) and _instructs(then) and not is_new_thing(then):
        return True
    if STANDING.match(head):
        rest = STANDING.sub("", head).strip() or then
        return bool(rest) and not _ASKS.match(rest) and _is_wished(rest)
    if not then or not (SITUATION.match(head) or FOR_A.match(head)) or _ASKS.match(then):
        return False
    lasting = _LASTING_HEAD.match(head) or ALWAYS.match(then)
    return is_norm(then) or (_instructs(then) and (bool(lasting) or not is_new_thing(then)))


def _instructs(words: str) -> bool:
    return is_instruction(words) or bool(ALWAYS.match(words) or DO_NOT.match(words))


def _is_wished(words: str) -> bool:
    asked = I_ASKED.match(words) or SITUATION.match(words)
    return is_instruction(words) or names_form(words) or bool(asked)


def is_wish(clause: str, *, first: bool, alone: bool) -> bool:
    """A wish about form in one clause. `first`: nothing was said before it in its sentence;
    `alone`: its sentence says nothing else."""
    if len(clause.split()) > SHORT_WORDS or adds(clause):
        return False
    if any(cue.match(clause) for cue in (REDO, COMPARED, MAKE_IT, SPELLED)):
        return not CAME_BACK.match(clause)
    if DO_NOT.match(clause) or DO_OTHERWISE.match(clause) or about_form(clause):
        return True
    if habit_of(clause):
        return True
    if MISSING.match(clause) and names_form(clause):
        return True
    if names_form(clause) and (NO_THING.match(clause) or _NEEDS.match(clause)):
        return True
    return first and _is_fragment(clause, alone=alone)


def _is_fragment(clause: str, *, alone: bool) -> bool:
    """Wishes without a verb: "in German", "the second one, not the first", "just the code"."""
    words = clause.split()
    if _ASKS.match(clause):
        return False
    if IN_OR_WITHOUT.match(clause) and (names_form(clause) or words[0] == "without"):
        return len(words) <= 7
    if len(words) <= 3 and words[-1] == "please" and (names_form(clause) or words[0] in _NAMED):
        return words[0] not in ("more", "another", "the")
    if IN_FACT.match(clause):
        return not _ASKS.match(IN_FACT.sub("", clause))
    if NOT_ENOUGH.match(clause) or (alone and JUST_THIS.match(clause)):
        return True
    return bool(CONTRAST.match(clause)) and len(words) <= 10


def is_bare_form(sentence: str) -> bool:
    """A whole message of a few words about form: "numbers as digits please", "first names only"."""
    if len(sentence.split()) > 7 or is_instruction(sentence) or _NO_FRAGMENT.match(sentence):
        return False
    return (
        names_form(sentence) and bool(_WITHOUT_VERB.search(sentence)) and not _ASKS.match(sentence)
    )
