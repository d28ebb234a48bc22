"""What of a user's message was typed, and what was pasted into it.

Words that somebody else wrote must not pass for the user's wish only because they came in the
user's message. Pasting leaves marks: fences, quotation marks, tags that clients put around files,
mail headers, logs, an announcement ("here is the mail:"), a task about a text ("summarise this"),
sheer length. What stands inside such marks is pasted, what stands around them typed; in doubt it
is pasted, because a rule that was not learned is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from lull.core.labelled import label_length
from lull.core.unmarked import is_own_list, unmarked
from lull.core.wording import folded

LONG_PARAGRAPH = 900
"""Characters. People type corrections of a few lines; who has more to say has it from elsewhere."""
LONG_MESSAGE = 1200
SHORT = 300
"""Before and behind a long text, what is no longer than this is still taken as typed."""
QUOTED_WORDS = 12
"""A quotation of so many words is somebody's text, not a name for something."""

Region = tuple[int, int]

_NOUN = (
    r"(?:e-?mails?|mails?|messages?|texts?|articles?|pages?|web ?pages?|web ?sites?|"
    r"sites?|posts?|tweets?|threads?|"
    r"letters?|documents?|docs?|files?|logs?|outputs?|errors?|traces?|stack ?traces?|"
    r"notes|reports?|"
    r"paragraphs?|passages?|excerpts?|extracts?|transcripts?|readmes?|snippets?|"
    r"functions?|scripts?|diffs?|"
    r"patch(?:es)?|json|csv|xml|html|yaml|data|contracts?|comments?|tickets?|issue|"
    r"contents?|results?|"
    r"search results|reviews?|response from|reply from|recipes?|ads?|memos?|"
    r"newsletters?|invoices?|poems?|stor(?:y|ies)|"
    r"sources?|chats?|conversations?|pdfs?|announcements?|attachments?|blog|wiki\w*|"
    r"faq|code|clipboard|"
    r"nachricht(?:en)?|artikel|seiten?|webseiten?|datei(?:en)?|dokumente?|briefe?|"
    r"ausgaben?|fehler\w*|beitrage?|"
    r"absatz|notizen|berichte?|rechnung(?:en)?|vertrage?|kommentare?|inhalte?|"
    r"correos?|mensajes?|textos?|articulos?|paginas?|archivos?|documentos?|cartas?|"
    r"courriels?|textes?|fichiers?|lettres?)"
)
_TASK = (
    r"(?:summari[sz]e|sum up|translate|proof-?read|rewrite|rephrase|paraphrase|"
    r"explain|review|analy[sz]e|"
    r"shorten|simplify|classify|extract|interpret|comment on|look at|take a look|"
    r"have a look|look what|read|"
    r"reply to|respond to|answer|check|correct|fix|improve|edit|polish|tidy|convert|format|parse|"
    r"condense|outline|evaluate|assess|critique|decode|tl;?dr|give me (?:a|"
    r"the) (?:\w+ )?(?:summary|gist|translation)|"
    r"write (?:a|an|me a) (?:\w+ )?(?:summary|reply|answer|response|translation)|"
    r"make sense of|go through|"
    r"what (?:does|do|is|are|did)|what's|who wrote|is (?:this|it|that)|"
    r"what do you (?:think|make)|"
    r"fass\w*|ubersetz\w*|korrigier\w*|erklar\w*|pruf\w*|lies|beantworte|"
    r"was (?:haltst|bedeutet|heisst|sagt|steht)|"
    r"schau\w*|resum\w*|traduc\w*|corrige|explica|revisa|lee|responde|que (?:opinas|"
    r"significa|dice)|"
    r"tradui\w*|expliqu\w*|lis|verifie|reponds|que (?:penses|veut|signifie)|"
    r"总结|翻译|解释|看看|校对|润色|回复|概括|分析|要約|翻訳|説明)"
)
_BARE_TASK = (
    r"(?:summari[sz]e|translate|proof-?read|rewrite|rephrase|paraphrase|shorten|simplify|"
    r"classify|tl;?dr|ubersetz\w*|resume|traduce|traduis)"
)
_THIS = (
    r"(?:this|these|that|the following|following|below|it|dies\w*|folgend\w*|das|esto|"
    r"este|esta|ceci|ce|cette|suivant\w*)"
)
_POLITE = (
    r"(?:(?:no|ok|okay|and|now|so|then|please|pls|can you|could you|would you|will you|"
    r"kannst du|bitte|puedes|peux-tu|help me|quickly|just|hey|hi|again|actually|"
    r"i want you to|i need you to)[,!.]? *){0,4}"
)

_BEGINS = r"(?:^|[.!?]\s*+|(?<!\n)\n\s*+)"
"""Where a sentence may begin; of many empty lines the first one, or each would be tried."""

_FENCE = re.compile(
    r"(?ms)^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|```.*?(?:```|\Z)"
)
_TAG = re.compile(r"(?is)<([a-z][\w:-]{0,40})(?:\s[^<>]{0,500})?>(?:.{0,200000}?)</\1\s*>")
_OPEN_TAG = re.compile(
    r"(?is)<(?:file|files|document|documents|context|attachments?|source|sources|page|"
    r"web\w*|email|mail|"
    r"selection|code|content|data|result|results|tool\w*|search\w*|quote|message|"
    r"article|html|body|"
    r"ide_\w+|system[\w-]*|user_query|additional_data|open_and_\w+|attached_files?|current_file|"
    r"pasted\w*|clipboard|transcript|log|logs|stdout|stderr|output)(?:\s[^<>]{0,500})?>.*"
)
_QUOTE_LINES = re.compile(r"(?m)^[ \t]*(?:>|\|[^|\n]*$|│|┃)[^\n]*$")
_TRIPLE = re.compile(r"(?s)(\"{3}|'{3}).*?(?:\1|\Z)")
_BRACKETED = re.compile(
    r"(?s)(?:<<<|\[\[|\{\{|\[(?:begin|start|quote|pasted|file|"
    r"attachment)[^\]\n]{0,80}\]).*?(?:>>>|\]\]|\}\}|\[/?(?:end|quote)[^\]\n]{0,80}\]|"
    r"\Z)",
    re.I,
)
_RULE_LINE = re.compile(
    r"(?m)^[ \t]*+(?:[-=*_~#]{3,}+|[-=~#]{2,}+ ?[^\n]{1,60}? ?[-=~#]{2,}+)[ \t]*+$"
)
"""What a run of signs has taken it keeps: a line of ten thousand dashes must not be tried in every
way that it can be cut."""
_TO_THE_END = re.compile(
    r"(?ims)^[ \t]*(?:-{2,} ?(?:begin|original|forwarded|urspr|weitergeleitet|mensaje|"
    r"message)|begin forwarded|"
    r"(?:on|am|el|le) [^\n]{5,100}(?:wrote|schrieb|escribi\w+|a écrit) ?:|#{1,6} \S|"
    r"<!doctype|<html|<\?xml|diff --git|traceback \(|"
    r"@@ -\d|%pdf|-----begin|(?:\*\*|__)?(?:from|von|de)(?:\*\*|"
    r"__)?: [^\n]{0,100}(?:@|\n[ \t]*(?:\*\*)?(?:to|sent|date|subject|an|gesendet|"
    r"betreff|para|asunto|objet|à|cc)(?:\*\*)?:)|"
    r"(?:subject|betreff|asunto|objet|fwd?|wg): [^\n]{0,200}\n).*"
)
_MACHINE = re.compile(
    r"(?im)^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\n]*|\[?\d\d:\d\d:\d\d[^\n]*|"
    r"\[?(?:info|warn(?:ing)?|error|debug|trace|fatal|notice)\]?\s*[:|\]-][^\n]*|"
    r"[{\[][^\n]*|[}\]][,;)]*[ \t]*|\"[^\"\n]{1,80}\"\s*:[^\n]*|at [\w.$<>]+\([^\n]*|"
    r"file \"[^\n]*|[-+]{3} [ab]/[^\n]*|\|[^\n]*\||[$%] [^\n]*|>>> [^\n]*|"
    r"(?:[^,\n]{0,60},(?! )){2,}[^,\n]{0,60}|(?:[^\t\n]{0,60}\t){2,}[^\n]*|//[^\n]*|"
    r"/\*[^\n]*|#![^\n]*|(?:https?|ftp)://\S+)$"
)
_BLOB = re.compile(r"data:[\w/+.-]+;base64,\S+|(?<![\w/+])[A-Za-z0-9+/]{60,}={0,2}")
_COMMENT = re.compile(r"(?s)<!--.*?(?:-->|\Z)|\[//\]: #[^\n]*")
_QUOTED = re.compile(
    r"“[^”]{1,20000}(?:”|\Z)|„[^“”\"]{1,20000}[“”\"]|«[^»]{1,20000}»|「[^」]{1,20000}」|"
    r"\"[^\"]{1,20000}\""
    r"|(?<!\w)'[^'\n]{1,2000}'(?!\w)|(?<!\w)‘[^’]{1,2000}’(?!\w)"
)
_REPORTED = re.compile(
    rf"(?:\b(?:says?|said|saying|reads?|writes?|wrote|written|states?|stated|tells?|"
    rf"told|goes|claims?|contains?|got|"
    rf"sagt|schreibt|steht|lautet|dice|pone|dit|ecrit)|说|写)\W*(?:\w+ ){{0,3}}\W*$"
    rf"|\b{_TASK}\b[^.!?\n]{{0,60}}$|\b{_NOUN}\W{{0,3}}$|:\s*$"
)
_OWN_QUOTE = re.compile(
    r"\b(?:with|say|write|use|add|append|type|put|phrase|sentence|words?|line|label|"
    r"call(?:ed)?|named?|"
    r"mit|schreib\w*|sag|con|avec)\b:? *$"
)
_ANNOUNCED = re.compile(
    rf"\b(?:here(?:'s| is| are| comes)|this (?:is|was)|these are|below(?: is| are)?|see|attached|"
    rf"i (?:just |have |also )?(?:got|received|found|copied|pasted|read|saw|had)|"
    rf"i've (?:got|received|found|copied|read|seen)|"
    rf"copy of|quote|quoting|pasted|via|hier(?: ist| sind| kommt)?|das ist|ich habe|"
    rf"aqui (?:esta|tienes)|este es|"
    rf"he recibido|voici|voila|j'ai recu)\b[^\n:.!?]{{0,80}}?\b{_NOUN}\b[^\n:.!?]{{0,60}}[:：]"
    rf"|\b(?:from|in|about|regarding|following|my|our|an?|the|his|her|their|this|that|"
    rf"some|one|your|"
    rf"folgend\w*|aus|der|die|das|diese[rsnm]?|el|la|le|este|esta|ce|"
    rf"cette)(?: \w+){{0,2}} {_NOUN}"
    rf"(?: (?:from|by|of|about|on|with|that|which|we|i|text|body|content|von|aus|de|"
    rf"du)\b[^\n:.!?]{{0,50}})?\s*[:：]"
    rf"|\b(?:my|our|the|a|his|her|their|this|some\w*|he|she|they|"
    rf"it)\b(?: \w+){{0,3}} (?:sent|wrote|forwarded|posted|"
    rf"says|said|writes|replied|messaged|texted|answered|told|reads)\b[^\n:.!?]{{0,50}}[:：]"
    rf"|\b(?:received|copied|pasted|got|found) (?:this|it|that|from|on|in|online|via|"
    rf"by)\b[^\n:.!?]{{0,40}}[:：]"
    rf"|(?:^|(?<!\n)\n)\s*+{_NOUN}(?: (?:text|body|content))?\s*[:：]"
    r"|(?:邮件|文章|网页|文件|文本|内容|消息|日志|如下|以下|原文|写道)[^\n:：]{0,10}[:：]"
)
_TASKED = re.compile(
    rf"{_BEGINS}{_POLITE}(?:{_BARE_TASK}(?: (?:in|into|to|ins|al|en) \w+)?|"
    rf"{_TASK}\b[^\n:.!?]{{0,40}}\b(?:{_THIS} (?:\w+ )?{_NOUN}|{_THIS}|"
    rf"{_NOUN})(?: (?:in|into|to|for|from|by|as|with|auf|ins?|en|au|"
    rf"al)\b[^\n:.!?]{{0,30}})?\s*|(?:总结|翻译|解释|看看|概括)[^\n:：]{{0,12}})[:：]"
)
_TASKED_LINE = re.compile(
    rf"{_BEGINS}{_POLITE}{_TASK}\b[^\n.!?]{{0,60}}(?:\b(?:{_THIS}|above|"
    rf"{_NOUN})\b|[这下]|$)[^\n]{{0,80}}\n"
)
_TASKED_INLINE = re.compile(
    rf"{_BEGINS}{_POLITE}(?:what (?:does|do) (?:this|that|it|these) (?:mean|say)|"
    r"(?:summari[sz]e|translate|explain|proof-?read|paraphrase|ubersetze|resume|traduce|traduis) "
    rf"(?:this|that|it|das|dies|esto|ceci)(?: {_NOUN})?(?: (?:in|into|to|ins?) \w+)?)\s*[?.!]\s+"
)
_ASKED_BACK = re.compile(
    rf"(?:^|(?<!\n)\n\s*+|[.!?\"”)]\s++|[–—-] ){_POLITE}(?:(?:summari[sz]e|translate|"
    rf"proof-?read|explain|tl;?dr|paraphrase|classify|analy[sz]e|ubersetz\w*|"
    rf"resume|traduce|traduis)\b[^\n]{{0,30}}(?:\b(?:this|that|it|above|{_NOUN})\b|$)|"
    rf"(?:{_TASK})\b[^\n]{{0,30}}\b(?:the above|above|(?:this|that|the) {_NOUN})\b|"
    rf"what (?:does|do|did) (?:this|that|it|they|he|she)\b|what's (?:this|that)|"
    rf"is (?:this|that|it) (?:true|legit|ok|okay|spam|safe|a scam|real|correct|right)|"
    rf"(?:any )?thoughts\?|what do you (?:think|make)|what should i (?:answer|reply|do|"
    rf"say|write)|how should i (?:answer|reply|respond)|"
    rf"can you believe|was (?:bedeutet|haltst|heisst)|que (?:significa|opinas|penses|"
    rf"veut dire))[^\n]{{0,120}}$"
)

_SITUATION = re.compile(
    r"(?:^|[.,!?] )(?:(?:when(?:ever)?|if|every time|each time) (?:you|we|i (?:ask|want|need|write|"
    r"say|request))\b[^\n:]{0,60}|(?:in|for) (?:all |every |each |any |my |our )?\w+s) ?:$"
)
_SAYS = (
    rf"(?:{_NOUN}|guides?|style ?guides?|guidelines?|manuals?|handbooks?|policy|policies|rules?|"
    r"instructions?|specs?|standards?|checklists?|templates?|boss|manager|colleague|friend|"
    r"teacher|client|customer|teams?|company|anleitung|richtlinien?|handbuch|chef\w*|guia|guide)"
)
_REPORTS = re.compile(
    rf"(?i)\b{_SAYS}(?: (?:here|there|online|at work|we have|i found))?"
    r" (?:says?|said|states?|stated|reads?|wrote|writes?|tells?|sagt|schreibt|dice|dit)"
    r"(?:(?: (?:me|us|you|to|that|the following|this|so|as follows))*[.,]?[ \t]*(?:\n|$)"
    r"|(?: (?:the following|this|as follows))[.,:]\s)"
)
"""'The wiki page says' at the end of a line, and "says the following." anywhere."""
_FOUND = re.compile(
    rf"(?i)\b(?:here(?:'s| is| are)|this is|these are|see)\b[^\n.!?]{{0,60}}\b{_SAYS}\b"
    r"[^\n.!?]{0,60}[:.]?[ \t]*\n"
)
_HEADING = re.compile(r"(?m)^[ \t]*(?:[A-Z][A-Z0-9'’&/-]+[ \t]+){1,8}[A-Z][A-Z0-9'’&/-]+:?[ \t]*$")
"""A line in capitals."""
_NUMBERED = re.compile(r"(?m)(?:^[ \t]*(?:\(?\d{1,2}[.)]|[-*•])[ \t]+\S[^\n]*(?:\n|\Z)){3,}")
"""Three entries of a list, one below the other: a document, and not a correction."""
_FURNITURE = re.compile(
    r"(?i)©|\(c\) ?(?:19|20)\d\d|copyright (?:19|20)\d\d|all rights reserved"
    r"|\bcookies?\b[^\n]*\n"
    r"|\w+(?: \w+)? [|·»›] \w+(?: \w+)? [|·»›] \w+"
    r"|skip to (?:main )?content|log ?in [|/] sign ?up"
    r"|share (?:this|on)\b[^\n]*\n|\bunsubscribe\b|privacy policy|terms of (?:use|service)"
)
"""What stands around the words of a web page."""

_MARKED = (
    _FENCE,
    _TAG,
    _COMMENT,
    _QUOTE_LINES,
    _TRIPLE,
    _BRACKETED,
    _TO_THE_END,
    _MACHINE,
    _BLOB,
)


def typed(text: str, *, upto: int | None = None) -> tuple[tuple[str, bool], ...]:
    """The message in pieces, in order: (piece, True where it was typed). With `upto` only what
    stands before that place, read in the light of all of it."""
    if not text.strip():
        return ()
    mask = bytearray(b"\x01") * len(text)
    # A label over feedback is no log line, for all its bracket; what it heads is looked at as ever.
    label = label_length(text)
    for start, end in _regions(" " * label + text[label:]):
        mask[start:end] = bytes(end - start)
    _drop_long(text, mask)
    out, at = [], 0
    for own, group in groupby(mask[:upto]):
        length = sum(1 for _ in group)
        piece = text[at : at + length]
        at += length
        if re.search(r"\w", piece):
            out.append((piece, bool(own)))
    return tuple(out)


def _regions(text: str) -> Iterator[Region]:
    for pattern in _MARKED:
        yield from (match.span() for match in pattern.finditer(text))
    # A tag that is never closed holds all that follows.
    rest = _TAG.sub(lambda match: " " * len(match.group()), text)
    yield from (match.span() for match in _OPEN_TAG.finditer(rest))
    yield from _between_rules(text)
    yield from _quotations(text)
    yield from _documents(text)
    # Same length, so that places in it are places in the text.
    low = _same_length(text)
    yield from unmarked(text, low)
    yield from _announced(low)
    yield from _asked_back(low)


def _same_length(text: str) -> str:
    return (
        "".join(folded(char)[:1] or char for char in text) if not text.isascii() else text.lower()
    )


def _between_rules(text: str) -> Iterator[Region]:
    """From the first line of dashes to the last; where there is only one, to the end."""
    lines = [match.span() for match in _RULE_LINE.finditer(text)]
    if lines:
        yield lines[0][0], lines[-1][1] if len(lines) > 1 else len(text)


def _documents(text: str) -> Iterator[Region]:
    """What looks like somebody's document: behind "the guide says", from a heading in capitals on,
    a list, a web page with its furniture."""
    for pattern in (_REPORTS, _FOUND):
        match = pattern.search(text)
        if match:
            yield match.end(), len(text)
    heading = _HEADING.search(text)
    if heading and "\n" in text[heading.start() :].strip():
        yield heading.start(), len(text)
    for match in _NUMBERED.finditer(text):
        if not is_own_list(text[: match.start()], match.group()):
            yield match.span()
    if "\n" in text.strip() and _FURNITURE.search(text):
        yield 0, len(text)


def _quotations(text: str) -> Iterator[Region]:
    for match in _QUOTED.finditer(text):
        inside = match.group()[1:-1]
        count = len(inside.split()) if " " in inside else len(inside) // 3
        before = folded(text[max(0, match.start() - 80) : match.start()])
        own = bool(_OWN_QUOTE.search(before))
        if count >= (4 * QUOTED_WORDS if own else QUOTED_WORDS) or (
            not own and count >= 2 and _REPORTED.search(before)
        ):
            yield match.span()


def _announced(low: str) -> Iterator[Region]:
    """Behind "here is the mail:" or "summarise this:" all that follows."""
    for pattern in (_ANNOUNCED, _TASKED, _TASKED_INLINE):
        found = (match for match in pattern.finditer(low) if not _is_situation(low, match.end()))
        if match := next(found, None):
            yield match.end(), len(low)
    for match in _TASKED_LINE.finditer(low):
        if low[match.end() :].strip():
            yield match.end(), len(low)
            return


def _is_situation(low: str, end: int) -> bool:
    """ "When I ask for a letter:" and "in emails:" lead to the user's own words."""
    return bool(_SITUATION.search(low[low.rfind("\n", 0, end) + 1 : end]))


def _asked_back(low: str) -> Iterator[Region]:
    """Before "what does this mean?" all that stands there."""
    matches = list(_ASKED_BACK.finditer(low.rstrip()))
    if matches and low[: matches[-1].start()].strip():
        yield 0, matches[-1].start() + 1


def _drop_long(text: str, mask: bytearray) -> None:
    """What is too long to have been typed, but for a short word before and behind it."""
    paragraphs = [match.span() for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text)]
    long = sum(mask) > LONG_MESSAGE
    for i, (start, end) in enumerate(paragraphs):
        inside = 0 < i < len(paragraphs) - 1
        if sum(mask[start:end]) > LONG_PARAGRAPH or (long and (inside or end - start > SHORT)):
            mask[start:end] = bytes(end - start)
