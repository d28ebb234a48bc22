"""The kinds of request that rules name: patterns for rules, requests and answers, and the
classifier's names for them.

A request that only shares a word with a kind is not of it, so the words of a request that ask are
those that name the thing to be written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_GREETS: Final = (
    r"\A\W*(?:(?:subject|betreff|objet|asunto):[^\n]*\s+)?(?:(?:dear|sehr geehrte\w*|liebe[rs]?|"
    r"chère?s?|estimad\w+|querid\w+)\b[^\n]{0,60}?[,:!]|"
    r"(?:hi|hello|hey|good (?:morning|day|evening)|hallo|guten (?:tag|morgen)|moin|servus|bonjour|"
    r"madame|monsieur|hola|buen\w+ (?:días|tardes))\b[^\n.?]{0,50}[,!:]?[ \t]*\n)"
)
_SIGNS_OFF: Final = (
    r"(?:regards|sincerely|yours(?: truly)?|best wishes|cheers|grüßen?|gruß|cordialement|"
    r"salutations|bien à vous|saludos?|atentamente),?[ \t]*\n[^\n]{1,40}\s*\Z"
)
_TELL: Final = (
    r"^(?:please |bitte )?(?:(?:tell|thank|invite|remind|congratulate|inform|ask|answer|reply to|"
    r"write(?: to)?|let|message|sag|schreib|frag|bitte|erinnere?|lade?|gratulier\w*|antworte|dis|"
    r"écris|demande|rappelle|invite|remercie|préviens|di|dile|avisa|escribe|pide|recuerda|invita|"
    r"felicita|contesta) )(?!me\b|mir\b|moi\b|what|how|why|about|a (?!ll)|an |the (?:story|code)|"
    r"code|sql|un |une |ein)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    names: str
    """Regular expression that matches the kind's name in a rule."""
    asks: str
    """Regular expression that matches a request for this kind of text."""
    shows: str = ""
    """Regular expression that matches an answer of this kind; "" if answers do not show it."""
    known_as: tuple[str, ...] = ()
    """The names that the kinds classifier has for this kind."""
    by_question: bool = False
    """Whether a plain question such as "how do I bake bread?" may ask for this kind."""


KINDS: Final[Mapping[str, Kind]] = {
    "email": Kind(
        names=r"\be-?mails?\b|\bmails?\b|courriels?\b|correos?\b",
        asks=r"\be-?mails?\b|\bmails?\b|\bcourriels?\b|\bcorreos?\b",
        shows=rf"{_GREETS}|{_SIGNS_OFF}",
        known_as=("work email", "formal letter", "reply to a customer", "chat message"),
    ),
    "letter": Kind(
        names=r"(?<!capital )(?<!small )(?<!case )(?<!big )(?<!block )(?<!cover )\bletters\b|"
        r"\b(?:each|every|a|of) (?:\w+ )?letter\b|\bbriefen?\b|\blettres\b|\bcartas\b",
        asks=r"\bletter (?:to|for|from)\b|\bwrite (?:a|the) letter\b|\bbrief an\b|\blettre à\b|"
        r"\bcarta (?:a|para)\b",
        shows=rf"{_GREETS}|{_SIGNS_OFF}",
        known_as=("work email", "formal letter", "reply to a customer", "chat message"),
    ),
    "text message": Kind(
        names=r"\btext messages?\b|\btexts to\b|\bsms\b|whatsapp|\bslack\b|\bchat messages?\b",
        asks=r"\bsms\b|whatsapp|\bslack\b|^text (?:to )?\w+|\bmessage (?:to|for)\b",
        known_as=("chat message", "work email", "relationships"),
    ),
    "recipe": Kind(
        names=r"\brecipes?\b|\brezepte?n?\b|\brecettes?\b|\brecetas?\b|\bcooking\b|\bbaking\b",
        asks=r"\brecipe|\brezept|\brecette|\breceta|how (?:do|to|can|would)\b.{0,12}\b(?:cook|"
        r"bake)|"
        r"\b(?:cook|bake|koch\w*|back\w*|cuisiner|cocinar|preparar) ",
        shows=r"(?s)\b\d+ ?(?:g|ml|kg|dl|cups?|tbsp|tsp|eggs?|eier|œufs|huevos)\b.*"
        r"\b(?:bake|whisk|stir|simmer|fry|knead|boil|rub|mix|backen|rühren|braten|kochen|mélanger|"
        r"cuire|verser|hornear|mezclar)\b|"
        r"\b(?:mettre|ajouter|verser)\b.*\b(?:sel|huile|beurre)\b",
        known_as=("recipe", "meal plan"),
        by_question=True,
    ),
    "commit": Kind(
        names=r"\bcommits?\b",
        asks=r"\bcommit|^message for: ",
        shows=r"\A(?:`{3}\w*\n)?(?:fix|feat|chore|docs|refactor|test|style|perf|build|ci)(?:\([^)]*\))?!?:",
        known_as=("version control",),
    ),
    "ticket": Kind(
        names=r"\bbug reports?\b|\btickets (?:\w+ )?(?:begin|start|end|have|are|must|should|get)|"
        r"\b(?:each|every|all|in|our|my) (?:bug )?(?:tickets?|issues?)\b(?! numbers?| ids?)",
        asks=r"^(?:\w+ )?(?:ticket|issue|bug report)\b|\b(?:file|open|write|create) (?:a|an|the) "
        r"(?:\w+ )?(?:ticket|issue|bug report)",
        known_as=("debugging", "reply to a customer"),
    ),
    "story": Kind(
        names=r"\bstor(?:y|ies)\b|\bfiction\b|\bgeschichten?\b|\bhistoires\b|\bcuentos?\b|\btales?\b",
        asks=r"\bstory\b|\bfairy ?tale|\b(?:a|the) tale\b|\bgeschichte (?:über|von|mit)|\bmärchen|"
        r"\bhistoire (?:de|d'|sur|avec)|\bcuento\b",
        known_as=("story",),
    ),
    "poem": Kind(
        names=r"\bpoems?\b|\bpoetry\b|\bgedichte?n?\b|\bpoèmes?\b|\bpoemas?\b|\bverses\b|\bhaikus?\b|"
        r"\blimericks?\b",
        asks=r"\bpoem\b|\bhaiku\b|\bsonnet\b|\bgedicht\b|\bpoème\b|\bpoema\b|\blimerick\b|\bverses\b",
        known_as=("poem",),
    ),
    "summary": Kind(
        names=r"\bsummar(?:y|ies)\b|\bsummari[sz]\w+|\bzusammenfass\w+|\brésumés?\b|\bresúmen\w*|"
        r"\bresumen\b|\bsumming up\b",
        asks=r"\bsummar|\btl;?dr\b|\bsum (?:\w+ )?up\b|\brecap\b|\bzusammen|\brésum|\bresum[eai]|"
        r"\bdigest\b|\bin short\b|\bkey points\b",
        known_as=("summary",),
    ),
    "translation": Kind(
        names=r"\btranslat\w+|\bübersetz\w+|\btraduc\w+",
        asks=r"\btranslat|\bübersetz|\btradu[icz]|\bhow do you say\b",
        known_as=("translation", "grammar"),
    ),
    "social post": Kind(
        names=r"\btweets?\b|\bsocial (?:media|posts?)\b|\binstagram\b|\blinkedin\b|\bfacebook\b|"
        r"\bcaptions?\b|\bposts?\b|\bpublicaciones\b|\bbeiträgen?\b",
        asks=r"\btweet\b|\bsocial media\b|\binstagram\b|\blinkedin\b|\bfacebook\b|\bcaption\b|"
        r"^(?:\w+ ){0,3}post\b|\bposte? (?:for|about|on|für|über|pour|sur)\b",
        known_as=("social media post", "marketing"),
    ),
    "product text": Kind(
        names=r"\bproduct (?:texts?|blurbs?|descriptions?|pages?|copy)\b|\bproduktt?exte?n?\b|"
        r"\bproduktbeschreibung\w*|\bblurbs?\b|\bfiches? produits?\b|"
        r"\bdescripciones de producto\w*",
        asks=r"\bproduct (?:text|blurb|description|page)|\bprodukttext|\bblurb\b|\bfiche produit|"
        r"^(?:a |short )?text (?:for|für) |^texte? (?:for|für|pour|para) |"
        r"\bdescri(?:be|ption of) (?:the|our|this|my)\b",
        known_as=("product text", "marketing"),
    ),
    "minutes": Kind(
        names=r"\bmeeting (?:notes|minutes)\b|\bminutes of\b|\bprotokolle?n?\b|\bcomptes?[- "
        r"]rendus?\b|"
        r"\bactas\b",
        asks=r"\bmeeting (?:notes|minutes)|^notes?:|\bminutes\b|\bprotokoll|\bcompte[- ]rendu|"
        r"\bacta\b",
        known_as=("meeting notes",),
    ),
    "report": Kind(
        names=r"\breports\b|\b(?:each|every|my|our) reports?\b|\bberichten?\b|\brapports\b|"
        r"\binformes\b",
        asks=r"\breport (?:on|about|for|of)\b|^(?:\w+ )?report\b|\bbericht über|\brapport sur|"
        r"\binforme ",
        known_as=("report",),
    ),
    "essay": Kind(
        names=r"\bessays?\b|\baufs[aä]tze?n?\b|\bdissertations?\b|\bensayos?\b",
        asks=r"\bessay\b|\baufsatz\b|\bdissertation\b|\bensayo\b",
        known_as=("essay",),
    ),
    "slides": Kind(
        names=r"\bslides?\b|\bpresentations?\b|\bfolien\b|\bdiapositivas?\b|\bdiapos?\b",
        asks=r"\bslides?\b|\bpresentation\b|\bdeck\b|\bfolien?\b|\bdiapo",
        known_as=("slides",),
    ),
    "newsletter": Kind(
        names=r"\bnewsletters?\b|\bpress releases?\b|\barticles\b|\bblog\b",
        asks=r"\bnewsletter\b|\bpress release\b|\barticle\b|\bblog\b",
        known_as=("article", "marketing"),
    ),
    "headline": Kind(
        names=r"\bheadlines?\b|\bschlagzeilen?\b",
        asks=r"\bheadline|\bschlagzeile",
    ),
    "travel": Kind(
        names=r"\btravel\b|\bitinerar\w+|\btrips?\b|\breise(?:n|pl\w+)?\b|\bvoyages?\b|\bviajes?\b",
        asks=r"\btravel|\bitinerar|\btrip\b|\b(?:day|days|weekend|week) in\b|\breise|\bvoyage|"
        r"\bviaje|"
        r"\bvisit\b",
        known_as=("travel",),
        by_question=True,
    ),
    "maths": Kind(
        names=r"\bmaths?\b|\bequations?\b|\bcalculations?\b",
        asks=r"\bmaths?\b|\bequation|\bcalculat|\bsolve\b|\bintegral|\bderivative|\d ?[-+*/×=] ?\d",
        known_as=("maths",),
        by_question=True,
    ),
    "workout": Kind(
        names=r"\bworkouts?\b|\b(?:exercise|training) plans?\b|\bgym\b",
        asks=r"\bworkout|\btraining|\bgym\b|\bexercises?\b",
        known_as=("fitness",),
        by_question=True,
    ),
    "weather": Kind(
        names=r"\bweather\b|\bwetter\b|\bforecasts?\b",
        asks=r"\bweather|\bwetter|\bforecast|\btemperature",
        by_question=True,
    ),
    "definition": Kind(
        names=r"\bdefinitions?\b|\bdefiniciones\b|\bdefinición\b|\bdéfinitions?\b",
        asks=r"^define\b|\bdefinition\b|\bwhat(?:'s| is| are| does)\b.{0,40}\bmean|^what(?:'s| is) "
        r"(?:an? )?[\w-]+(?: [\w-]+)?\??$|^definier|^was (?:ist|bedeutet) (?:eine? )?\w+\??$|"
        r"^définis|^c'est quoi|^qu'est-ce qu|^define |^qué (?:es|significa) ",
        known_as=("meaning of a word", "computing explained", "science"),
        by_question=True,
    ),
    "explanation": Kind(
        names=r"(?<!no )(?<!without )(?<!any )\bexplanations?\b|\bexplain(?:ing)? (?:something|"
        r"things?|concepts?|stuff|to me)?|"
        r"(?<!keine )(?<!ohne )\berklär\w+|(?<!sans )(?<!pas d')\bexplications?\b|"
        r"\bexpliques?\b|(?<!sin )\bexplicaci\w+",
        asks=r"\bexplain|^(?:what(?:'s| is| are| does)|why)\b|\berklär|^(?:was ist|warum|wieso)\b|"
        r"\bexpli[qc]|^pourquoi|^por qué|\bdifference between\b",
        known_as=("computing explained", "science", "meaning of a word", "history", "grammar"),
        by_question=True,
    ),
    "how-to": Kind(
        names=r"\bhow[- ]tos?\b|\bhow to\b|\binstructions?\b|\btutorials?\b|\banleitung\w*|"
        r"\bstep-by-step\b|\binstrucciones\b|\bmodes? d'emploi\b",
        asks=r"\bhow (?:do|can|should|would) (?:i|you|we|one)\b|\bhow to\b|\bwie (?:kann|mache?|"
        r"geht|repariere|installiere|wechsle|soll)\b|\bcomment (?:faire|puis|je|on|\w+[eio]r)\b|"
        r"\bcómo (?:puedo|hago|se|\w+[aeio]r?)\b|\binstructions\b|\btutorial\b|\banleitung\b",
        known_as=("repair", "computer help", "cleaning", "recipe"),
        by_question=True,
    ),
    "speech": Kind(
        names=r"\bspeech(?:es)?\b|\btoasts?\b|\breden\b|\bdiscours\b|\bdiscursos?\b",
        asks=r"\bspeech\b|\btoast (?:to|for)\b|\brede (?:für|zum|zur)|\bdiscours\b|\bdiscurso\b",
        known_as=("speech",),
    ),
    "lesson": Kind(
        names=r"\blesson(?: plan)?s?\b|\bworksheets?\b|\bquiz(?:zes)?\b",
        asks=r"\blessons?\b|\bworksheet|\bquiz|\bteach\b",
        known_as=("lesson", "quiz"),
        by_question=True,
    ),
    "documentation": Kind(
        names=r"\bdocs\b|\bdocumentation\b|\breadmes?\b|\brelease notes?\b|\bchangelogs?\b|"
        r"\bdocstrings?\b",
        asks=r"\bdocs?\b|\bdocumentation|\breadme|\brelease note|\bchangelog|\bdocstring",
        known_as=("documentation",),
    ),
    "menu": Kind(names=r"\bmenus?\b|\bspeisekarten?\b", asks=r"\bmenu\b|\bspeisekarte"),
    "shopping list": Kind(
        names=r"\bshopping lists?\b|\beinkaufslisten?\b|\bgrocery\b|\blistes? de courses\b",
        asks=r"\bshopping list|\bgrocer|\beinkaufsliste|\bliste de courses",
    ),
    "application": Kind(
        names=r"\bcover letters?\b|\bbewerbung\w*|\bcvs?\b|\brésumé\b",
        asks=r"\bcover letter (?:for|to)|\bapply(?:ing)? (?:for|to|as)|\bbewerbung|\bcv\b",
        known_as=("application",),
    ),
    "list": Kind(
        names=r"\blist(?:ing)? (?:things|items|several|options)\b|\bmake (?:a )?lists?\b",
        asks=r"\blist\b|\bwhat (?:should|do|can) i (?:pack|bring|buy|need)|\bideas\b|"
        r"\bpros and cons\b|\bthings to\b",
        by_question=True,
    ),
    "invitation": Kind(
        names=r"\binvitations?\b|\beinladungen?\b|\binvitaciones\b",
        asks=r"\binvit|\beinlad",
        known_as=("event", "work email"),
    ),
    "review": Kind(
        names=r"\bcode reviews?\b|\breviews\b", asks=r"\breview", known_as=("code review",)
    ),
}
RIVALS: Final = (
    "email", "letter", "text message", "commit", "ticket", "story", "poem", "summary",
    "translation", "social post", "product text", "minutes", "report", "essay", "slides",
    "newsletter", "headline", "speech", "menu", "shopping list", "code",
)  # fmt: skip
"""Kinds that exclude each other: each names the thing to be written, so a request for one is for no
other.
"""
ALIKE: Final = (
    frozenset(("email", "letter", "text message", "invitation", "application")),
    frozenset(("social post", "product text", "newsletter", "headline")),
    frozenset(("commit", "ticket", "documentation", "code", "review")),
    frozenset(("report", "minutes", "summary", "essay", "slides", "speech", "newsletter")),
    frozenset(("definition", "explanation", "how-to", "recipe")),
)
"""Groups of kinds that may be the same thing under two names, so that one does not rule out the
other.
"""
TELLS_SOMEBODY: Final = _TELL
"""Matches a request to tell somebody something, which is a message however it is sent."""
QUESTION: Final = (
    r"^(?:what|who|whom|whose|where|when|why|how|which|is|are|was|were|do|does|did|can|could|"
    r"should|would|will|has|have|was|wer|wo|wann|warum|wieso|weshalb|wie|welche\w*|woraus|wohin|"
    r"ist|sind|kann|darf|muss|gibt|hat|qui|que|quoi|où|quand|pourquoi|comment|quel\w*|combien|"
    r"explain|tell me (?:why|how|what|about)|describe how|erklär\w*|expli\w+|define|"
    r"est-ce|c'est quoi|qu'est|qué|quién|dónde|cuándo|cuánto\w*|por qué|cómo|cuál\w*)\b|\?\s*$"
)
YES_NO: Final = (
    r"^(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|may|must|am|isn't|"
    r"aren't|don't|ist|sind|kann|darf|muss|soll|gibt|hat|haben|war|est-ce que|peut-on|es|son|"
    r"puede\w*|hay|está|tiene)\b(?!.*\b(?:or|oder|ou|o)\b)"
)
