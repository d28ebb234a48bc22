"""The words by which texts of others are known: who speaks in them, where they stood, how they
are handed over. What follows from a match is core/unmarked.py's decision.

All but SPEAKER, STAMPED and DASHED_NAME read text in one spelling: lower case, no accents.
"""

from __future__ import annotations

import re

NAMED_BEFORE = (
    r"(?:e-?mails?|mails?|messages?|texts?|sms|dms?|articles?|(?:web ?)?pages?|(?:web ?)?sites?|"
    r"posts?|tweets?|threads?|letters?|documents?|docs?|docstrings?|files?|logs?|consoles?|"
    r"terminals?|screens?|pop-?ups?|dialogs?|banners?|tooltips?|outputs?|error(?: message)?s?|"
    r"compilers?|linters?|readmes?|manuals?|handbooks?|guides?|guidelines?|books?|chapters?|"
    r"novels?|poems?|songs?|lyrics|magazines?|newspapers?|journals?|papers?|reports?|minutes|"
    r"transcripts?|captions?|subtitles|videos?|podcasts?|slides?|decks?|brochures?|leaflets?|"
    r"flyers?|posters?|signs?|plaques?|labels?|stickers?|notices?|notice ?boards?|whiteboards?|"
    r"billboards?|packag(?:e|ing)|box|bottle|menu card|receipts?|invoices?|contracts?|terms|"
    r"t&cs|policy|policies|specs?|standards?|rfcs?|wikis?|wikipedia|notion|confluence|intranet|"
    r"sharepoint|forums?|reddit|subreddits?|stack ?overflow|quora|hacker news|hn|github|gitlab|"
    r"issues?|tickets?|jira|slack|teams|discord|whats ?app|telegram|signal chat|facebook|"
    r"instagram|linkedin|twitter|mastodon|blogs?|newsletters?|ads?|adverts?|reviews?|comments?|"
    r"answers? (?:on|from|by)|faqs?|recipes?|cook ?books?|quotes?|quotations?|excerpts?|"
    r"extracts?|passages?|snippets?|paragraphs?|clipboard|internet|web|online|chats?|channels?|"
    r"voicemail|telegrams?|postcards?|memos?|agenda|announcements?|press release|brief|"
    r"boss|manager|landlord|landlady|colleague|co-?worker|teacher|professor|client|customer|"
    r"friend|neighbou?r|brother|sister|mother|father|mum|mom|dad|wife|husband|lawyer|doctor|"
    r"supplier|vendor|support|hr|school|bank|insurance|chatgpt|gpt|gemini|copilot|"
    r"anleitung|handbuch|schild|aushang|brief|zeitung|rezept|buch|chef\w*|kolleg\w*|vermieter\w*|"
    r"nachricht|webseite|seite|kund\w+|cartel|libro|correo|mensaje|carta|jefe|manual|"
    r"panneau|livre|courriel|lettre|notice|affiche|patron)"
)
"""What texts come from; people who send some."""
_OWNER = (
    r"(?:the|a|an|my|our|his|her|their|this|that|some|another|one|your|der|die|das|dem|den|"
    r"meine?[mnr]?|el|la|un|una|mi|le|une|mon|ma)"
)
_SAYS = (
    r"(?:says?|said|states?|stated|reads?|wrote|writes?|tells?|told|puts?|has|had|goes|went|"
    r"shows?|prints?|printed|displays?|recommends?|suggests?|explains?|gives?|gave|sent|sends|"
    r"texted|posted|messaged|commented|answered|replied|pinged|mailed|emailed|forwarded|shared|"
    r"left|reported|contains?|sagt|schreibt|schrieb|steht|meldet|meint|dice|escribio|pone|dit|"
    r"ecrit|a ecrit)"
)
_POINT = (
    r"(?:it|this|that|so|the following|as follows|like (?:this|so)|this way|me|us|to|here|there|"
    r"today|yesterday|just now|just|back|below|in the chat|on (?:slack|teams|whatsapp)|es|das|"
    r"so|folgendes|mir|uns|esto|asi|me|ceci|ainsi)"
)
_END = r"[ \t]*[:.,;!…-]*[ \t]*$"
_WHO_ELSE = r"(?:he|she|they|it|someone|somebody|people|another user|the other side|er|sie|man)"

SAID_SO = re.compile(
    rf"\b{NAMED_BEFORE}\b(?:(?! (?:is|are|was|were|should|must)\b)[^.!?:\n]){{0,60}}? {_SAYS}"
    rf"(?: {_POINT})*{_END}"
    rf"|\b{_WHO_ELSE} (?:just |also |then |only )?{_SAYS}(?: {_POINT})*{_END}"
    rf"|\bso (?:steht|sagt|schreibt)\b[^.!?\n]*{_END}"
    rf"|\bcomo (?:dice|pone)\b[^.!?\n]*{_END}|\bcomme (?:dit|ecrit)\b[^.!?\n]*{_END}"
    rf"|\b(?:{NAMED_BEFORE}|lyrics|text|original|comment|wording|quote)\b[^.!?:\n]{{0,30}}"
    rf" (?:is|are|was|were|goes|has this (?:on|about|for) \w+){_END}"
    rf"|(?:^|[.!?,] ){NAMED_BEFORE} ?:{_END}"
    rf"|\b(?:this|that|here)(?:'s|s| is| are| was| goes| comes) (?:what|how|the|his|her|their|my)"
    rf" (?:(?! (?:is|are|was|were|should|must|wrong|not)\b)[^.!?:\n]){{1,60}}? (?:{_SAYS}|wants?|"
    rf"texts?|mails?|quote|original|thing){_END}|\bhere (?:goes|comes) [^.!?:\n]{{1,30}}{_END}"
    rf"|\b(?:what|how) \w+(?: \w+){{0,2}} (?:gave|sent|told|showed|wrote|handed)"
    rf"(?: (?:me|us|him|her|them|you))?{_END}"
    rf"|^(?:from|von|author|sender|posted by|by) ?: ?[^\n:]{{1,40}}$|^(?:\w+ )?error \d+{_END}"
    rf"|\b(?:failed|fails|crashes|crashed|ends|stops|stopped|breaks|ended) with{_END}"
)
"""A line at whose end somebody speaks: "the readme I downloaded tells it like this"."""

POINTED = re.compile(
    r"^(?!.*\b(?:not|never|stop|why|hate|wrong with|don't|didn't|isn't)\b(?: \w+){0,4}"
    rf" (?:this|these|it|so|here)(?: one| way)?{_END})"
    r".*?\b(?:like (?:this|so)|this way|as follows|(?:fits?|for|to|with|about|from|into|of|on|by|"
    r"per|than|after|before|meant|mean|use|take|answer|see|behold|try|is|was|continue|adapt|"
    r"considering|regarding) (?:this|these|the following)(?: (?:one|text|instead|here|below|now))?"
    rf"(?: (?:for (?:me|us|him|her)|please|pls|first|then))?|"
    rf"this (?:one|text)(?: instead)?|see below|below|fyi|context|here(?: you go| it is)?|"
    rf"(?:so|folgende[rsnm]?|diese[rsnm]? hier|asi|comme ca)){_END}"
)
"""A line that ends by pointing at what comes, and not by turning it down."""

_FROM = (
    r"(?:from|out of|via|off|as per|per|according to|in|on|at|by|aus|von|laut|stand in|"
    r"steht in|de|del|segun|selon|dans|sur)"
)
_STOOD = (
    r"(?:(?:this|that|it|these|which|all)(?:'s|s| is| was| are| were| comes| came| stood| stands|"
    r" hangs)(?: \w+){0,2}|taken|copied|straight|right|directly|quot\w+|text|seen|found|posted|"
    r"written|as seen|source|quelle|fuente|"
    r"an? (?:excerpt|extract|quote|bit|passage|snippet|page|paragraph|part|section))"
)
_OUT_OF = r"(?:from|out of|via|off|as per|per|according to|aus|laut|segun|selon)"
_IN_SOURCE = rf"(?:{_OWNER} )?(?:[\w'’-]+ ){{0,5}}?{NAMED_BEFORE}\b[^.!?\n]{{0,50}}"
ATTRIBUTED = re.compile(
    rf"^(?:.{{0,40}}[,.;:!?–-] *|[(\[*_^↑ ]*)(?:(?:{_STOOD} {_FROM}|{_OUT_OF}) {_IN_SOURCE}"
    r"|(?:source|quelle|via|fuente) ?: ?\S[^\n]{0,80}|(?:das|so) (?:stand|steht|stood)\b[^\n]{0,60}"
    r"|(?:eso|esto) (?:decia|dice|ponia|estaba)\b[^\n]{0,60}"
    r"|c'est (?:ecrit|marque)\b[^\n]{0,60})[)\]*_.,:!? ]*$"
    r"|\b(?:got|found|saw|received|spotted|copied|downloaded|pasted|read|grabbed|caught) "
    r"(?:this|these|that|the following|it|something)(?:(?! (?:is|was|should|must|wrong)\b)"
    rf"[^.!?\n]){{0,50}}{_END}"
    rf"|\b(?:got|received|found|saw|read|have) {_OWNER} (?:\w+ ){{0,2}}?{NAMED_BEFORE}"
    rf"(?: (?:from|on|in|at|by|via|today|yesterday|this|about|that|just)\b[^.!?\n]{{0,40}})?{_END}"
    r"|\b(?:sent|wrote|posted|texted|mailed|emailed|forwarded|gave|left|showed)"
    r"(?: (?:me|us|to|by))* (?:this|that|it)(?: (?:to|from|on|in|via|today|yesterday|just|"
    r"earlier)\b[^.!?\n]{0,30})?(?:[.,:;!? ]*$|, )"
    rf"|\b(?:what|how) (?:\w+ ){{0,3}}?{NAMED_BEFORE}(?: \w+){{0,4}} (?:says?|said|reads|wrote|"
    r"states)[.)! ]*$|^so says?\b|\bis what it says\b|\bit says so\b"
)
"""A line that says where a text is from."""
TITLED = re.compile(
    rf"^(?:(?:no|wrong|again|nope|shorter|hm+|ok|please)[,.!:]? )*(?:{_OWNER} )"
    rf"(?:(?!(?:one's|for|is|was|has|should|in|on|with|not)\b)[\w'’-]+ ){{0,3}}?{NAMED_BEFORE}"
    rf"(?: (?:in|on|at|from|of|by|to|about|for|i|we|he|she|they|that|which|behind|above|next)\b"
    rf"[^.!?\n]{{0,50}})?{_END}"
    r"|^(?:chapter|section|part|article|appendix|page|lesson|kapitel|abschnitt|capitulo|"
    r"chapitre|§|meeting notes|minutes|agenda|notes from|terms (?:and|of)|privacy|imprint|"
    r"house rules|faq)\b.{0,60}$"
    rf"|^(?:[\w'’-]+ ){{0,3}}{NAMED_BEFORE},? (?:page|p\.|chapter|section|no\.|#)? ?\d+{_END}"
    rf"|\b(?:match(?:es)?|fits?|like|according to|based on|follows?|as in) {_OWNER}"
    rf" (?:\w+ ){{0,2}}?(?:template|example|sample|original|wording|{NAMED_BEFORE})\b"
    rf"[^.!?:\n]{{0,40}}{_END}"
)
"""A line that only names what stands below."""

_LEAD = (
    r"^(?:.{0,60}[.!?;:,–-] *)?(?:(?:no|nope|ok|okay|and|now|so|then|please|pls|can you|could you|"
    r"would you|will you|help me|just|hey|hi|i need you to|i want you to|let's|kindly|quick|"
    r"bitte|kannst du|por favor|puedes|stp|peux-tu)[,!]? +)*"
)
_OTHER = (
    r"(?:he|she|they|him|her|them|this|that|these|those|the (?:above|sender|author|writer|text|"
    r"mail|letter|message|guy|woman|man)|er|sie|ihm|ihr|ihnen|darauf|le|les|lui|leur)"
)
ASKED_BEHIND = re.compile(
    r"\btl;? ?dr\b|\bel[iI]5\b|^(?:in short|the gist|gist|summary|meaning|thoughts|opinions?|legit|"
    r"spam|scam|true|advice|ideas?|what now|and now|any (?:ideas?|thoughts|advice|opinions?|clue)|"
    r"too long(?: for me| to read|, didn't read)?|help)[ ?!.]*$"
    rf"|{_LEAD}(?:write|draft|compose|formulate|prepare|give me|send|suggest|make|type|schreib\w*|"
    r"formulier\w*|entwirf|escrib\w*|redacta|ecri\w*|redige\w*|i need|i want|need)\b[^.!?]{0,30}\b"
    r"(?:answer|reply|response|comeback|retort|summary|translation|rejoinder|antwort\w*|"
    r"zusammenfassung|ubersetzung|respuesta|resumen|reponse|resume)\b(?! (?:in|should|must))"
    rf"|{_LEAD}(?:reply|respond|answer|react|say something)(?: back)?(?: to)? {_OTHER}\b"
    rf"|{_LEAD}(?:respond|reply|answer|decline|accept|thank)(?: back)? (?:politely|nicely|kindly|"
    r"for me|on my behalf|with a (?:yes|no)|him|her|them)\b"
    r"|\b(?:how|what|was|wie|que|comment)\b (?:do|should|would|can|could|shall|might|soll|kann|"
    r"dois|puedo|debo|wurde|faut|le|les|lui)[ -](?:i|we|you|ich|je|il|digo|respondo|contesto)?"
    r" ?(?:best |politely )?(?:say|answer|reply|respond|react|tell|handle|word|phrase|decline|"
    r"write back|write|do|make|think|get out|antworten|schreiben|sagen|repondre|dire|responder|"
    r"contestar)?\b(?: (?:to|of|about|back|him|her|them|that|this|now|here|it|with|darauf|ihm|"
    r"ihr|ihnen)\b[^.!?]{0,40})*[ ?!.]*$"
    rf"|{_LEAD}(?:make|put|say|phrase|word|rewrite|rephrase|turn|polish|shorten|simplify|"
    r"clean up|fix|improve|correct|proof-?read|translate|summari[sz]e|sum up|explain|check|edit|"
    r"format|convert|expand|condense|analy[sz]e|review)\b[^.!?]{0,20}"
    r"\b(?:this|that|these|the above|the text|the mail|the letter)\b"
    r"|^(?:(?:so|but|and|ok|hey|um|well),? )?(?:what|who|why|how|is|are|was|does|did|do i|should|"
    r"can|must|shall|am i|has|have|will|would|could|when|where|which|ist|stimmt|was|wer|es|est-ce)"
    rf"\b(?!.*\b(?:(?:did|do|are|were|have|can't|don't|didn't|will) you(?! (?:think|make|say|see|"
    rf"know|understand|reply|answer))|your)\b).*\b{_OTHER}\b.*\?\W*$"
    r"|\b(?:i )?(?:do not|don't|can't|cannot|didn't) (?:understand|get|follow)(?: (?:this|that|it|"
    r"a word|any|what|the)\b.*)?[.! ]*$|\bno idea what (?:this|that|he|she|they|it)\b"
    r"|\bmakes? no sense to me\b|\bwhat (?:this|that|he|she|they|it) (?:means?|wants?|says?)\b"
)
"""A line that wants something of the text above it, not of the answers."""

_WHO = r"(?P<who>(?: [\w.'’&-]+){0,6})"
GREETS = re.compile(
    r"[ \t]*(?:hi|hello|hey|hiya|dear(?= )|good (?:morning|afternoon|evening|day)|greetings|"
    r"to whom it may concern|hallo|liebe[rs]?(?= )|sehr geehrte[rs]?|guten (?:tag|morgen|abend)|"
    r"moin|servus|hola|estimad[oa]s?|querid[oa]s?|buenos dias|buenas tardes|bonjour|salut|"
    rf"chers?(?= )|cheres?(?= )|ciao|gentile|ladies and gentlemen){_WHO}[ \t]*[,!:.–—-]*[ \t]*$"
)
TO_US = re.compile(
    r"(?:there|again|you|assistant|ai|bot|lull|claude|chat ?gpt|gpt|gemini|copilot|llama|qwen|"
    r"mistral|deepseek|siri|alexa|computer|model|my friend|buddy|mate|dude|man|)"
)
"""Whom the user greets when they write to a model."""
_NAME = r"\b[ \t]*[,.!–—-]*[ \t]*(?P<name>[\w.'’-]+(?: [\w.'’-]+){0,3}|)[ \t]*$"
SIGNS_OFF = re.compile(
    r"[ \t]*(?:cheers|(?:(?:with )?(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes)|"
    r"best|all the best|warmly|(?:yours )?(?:sincerely|truly|faithfully)|yours|respectfully|"
    r"cordially|take care|talk soon|see you(?: soon| there| then)?|with love|xoxo|"
    r"(?:(?:viele|liebe|beste|schone|freundliche|herzliche|mit freundlichen|mit besten) )?"
    r"gru+s+(?:e|en)?|mfg|lg|vg|(?:un )?(?:cordial )?saludos?|atentamente|un abrazo|"
    rf"(?:bien )?cordialement|bien a vous|amicalement|bises|cordiali saluti){_NAME}"
)
SIGNS_WEAKLY = re.compile(
    r"[ \t]*(?:(?:many )?thanks(?: a lot| again| in advance| so much)?|thank you|thx|love|danke|"
    rf"vielen dank|merci|gracias|grazie){_NAME}"
)

SPEAKER = re.compile(
    r"[ \t]*(?:[-*•] )?[*_]{0,2}(?P<name>[A-Z][\w’'.-]{0,20}(?: [A-Z(][\w’'.)-]{0,20})?|"
    r"(?i:speaker|person|user|guest|caller|agent|customer|me|him|her|mum|mom|dad|boss)(?: \w)?)"
    r"[*_]{0,2} ?[:：]\s*\S"
)
LABELS = re.compile(
    r"(?:rule|note|format|title|tone|style|length|language|output|input|example|order|layout|wish|"
    r"also|and|ps|p\.s\.|edit|update|correction|first|second|third|goal|task|remember|important|"
    r"always|never|please|so|no|yes|ok|okay|wrong|btw|better|right|not|instead|again|hm+|header|"
    r"footer|body|intro|summary|conclusion|starter|main|dessert|breakfast|lunch|dinner|heading|"
    r"list|table|font|colou?r|size|date|time|price|total|name|address|currency|audience|register|"
    r"voice|tense|structure|ending|opening|closing|subject line|greeting|signature|sign-?off|"
    r"number|column|row|point|bullet|day|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"answer|code|test|commit|naming|indentation|spelling|bitte|immer|nein|wichtig|regel|"
    r"correct|wanted|expected|got|before|after|now|from now on|next time|reminder|hint|tip|"
    r"in short|shorter|longer|stop|look|sorry|hello|hi|hey|well|wait)"
)
"""What may stand before a colon in the user's own words."""
STAMPED = re.compile(
    r"[ \t]*(?:\[?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[AaPp][Mm])?\]?[ ,–-]+\S|"
    r"\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? (?:at |um )?\d{1,2}:\d{2}|"
    r"[\w.’'-]+(?: [A-Z][\w.’'-]+)? {1,3}(?:APP )?[\[(]?\d{1,2}:\d{2}(?: ?[AaPp][Mm])?[\])]?"
    r"[ \t]*:?[ \t]*(?:$|(?=\S))|"
    r"(?:@|u/|r/)[\w.-]+[ :]|<[\w .-]{2,30}> \S|[\w .’'-]{2,40} \(@[\w.-]+\)|"
    r"[\w .’'-]{2,40} ?[—–·•|-] ?(?:[Tt]oday|[Yy]esterday|\d{1,2} ?(?:h|m|d|min|hrs?)\b))"
)
"""A line of a chat or a feed, with its time or its author's handle."""
POST = re.compile(
    r"\b\d+ ?(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?) ago\b|"
    r"^[ \t]*(?:▲ ?|👍 ?|❤️? ?)?\d[\d.,k]* (?:upvotes?|points?|likes?|repl(?:y|ies)|comments?|"
    r"votes?|reactions?|retweets?|views?)\b|\baccepted answer\b|\b(?:asked|answered|edited|posted|"
    r"commented|replied) (?:on |at )?(?:\w{3,9} )?\d{1,2}\b|\(edited\)[ \t]*$|"
    r"\bsent from my \w+|\bopinions are my own\b|^[ \t]*(?:tel|phone|mobile|fax|isbn)[.:] ?[+\d]"
)
"""What stands around a post or below a mail."""
DASHED_NAME = re.compile(
    r"[ \t]*(?:—|–|--|~) ?(?:[A-Z][\w.’'&-]*|the|of|and|p\.|\d+|,)[^:!?]{0,60}$"
)
VOICE = re.compile(
    r"\b(?:i (?:want|need|wish|prefer|like|asked|would|said|meant)|i'd|my (?:wishes|rules|points)|"
    r"please|pls|from now on|next time|in future|remember|you (?:should|must|have to)|bitte|"
    r"ich (?:will|mochte|hatte)|quiero|je veux)\b"
)
"""The user's own voice before a list."""
