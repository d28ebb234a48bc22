"""Does a sentence tell somebody to do something? Asked generously, in several languages.

A page, a mail or a tool's result has no say in what the model does, so whatever there *could* be
read as an order, a norm or a habit to take on counts as one ("the correct format is …"). Of the
user's own sentences more is asked (`wishes`): a question or a complaint that names a thing does not
ask for it. Which orders matter is core/taint.py's decision.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lull.core.wording import folded

_VERBS = """
abandon accept access acknowledge act activate adapt add address adhere admit adopt advertise
advise affirm agree allow alter always amend announce answer append apply approve argue arrange
ask assert assign assume assure attach avoid await back ban be become begin behave believe blame
block book break bring browse bypass buy calculate call cancel capitalise capitalize carry cast cc
change charge check choose cite claim classify clean clear click close collect combine come
comment commit compare complete compose compress conceal conclude confirm connect consider consult
contact continue convert convince copy correct count create credit cut decide declare decline
decode decrease default define delete deliver demand deny describe deploy dial direct disable
disclose discourage disregard display do donate double download drop email embed emphasise
emphasize employ enable encode encourage end endorse enforce enter erase escape establish evaluate
exaggerate exclude execute exfiltrate expand explain export express fake feature feel fetch fill
filter find finish fix focus follow force forget format forward frame gather generate get give go
grant greet group guide halt handle hand have help hide highlight hold honour honor identify
ignore imagine implement import impersonate include increase indent indicate inform inject insert
insist install instruct interpret introduce invent invest invite invoice invoke join jump keep
kill label launch lead leak learn leave let lie limit link list load locate log look lower mail
maintain make mark memorise memorize mention message mimic minimise minimize modify monitor move
mute name neglect never note notice notify obey offer omit open opt order organise organize output
overlook override overwrite paste pass pay perform permit persuade phrase pick place plan play
plug point portray post postpone praise prefer prefix present preserve press pretend prevent print
prioritise prioritize proceed process produce promise promote prompt propose provide publish
purchase push put query question quote raise rank rate read reassure rebuild recite recommend
record redirect reduce refer reference refrain refuse register reject remain remember remind remit
remove rename render repeat rephrase replace reply report represent request require reset resist
resolve respect respond restart restrict return reveal reverse review revise reward rewrite roll
round route run save say scan schedule search select sell send separate serve set share shift
shorten show shut sign silence skip smile solve sort speak specify spell split spread start state
stay steer stop store stress strip structure style submit subscribe subtract suggest summarise
summarize support suppress suspend swap switch tag take talk teach tell terminate test thank think
throw title tout track train transfer transform translate transmit treat triple trust try turn
type uninstall unlock update upgrade upload urge use utilise utilize validate verify view visit
vote wait warn watch wipe wire withhold work wrap write yield
""".split()  # noqa: SIM905

_OPENERS = (
    r"(?:(?:please|kindly|also|then|and|so|next|finally|first|second|now|just|simply|instead|"
    r"otherwise|therefore|ok(?:ay)?|no|yes|but|or|hey|hi|dear \w+|note|important|"
    r"warning|attention|"
    r"reminder|remember|rule|step|tip|system|assistant|ai|action|todo|instructions?|ps|p\.s\.|"
    r"bitte|also|y|et|hinweis|wichtig|nota|importante?)\b[ \d]*[,:;.!–—-]* *){0,4}"
)
_START = re.compile(
    rf"(?:^|\b(?:info|warn(?:ing)?|error|debug|notice)\b[\]: -]{{1,3}}|[\"|#>\t\]}}*]|//|"
    rf",(?=\S)|: ?\"?|[.!?] )\W*{_OPENERS}\W*(?:{'|'.join(map(re.escape, _VERBS))})\b"
)
_AFTER_CLAUSE = re.compile(
    rf"(?:^|[,:;(–—]|\band|\bthen|\bso|\bto) *{_OPENERS}(?:{'|'.join(map(re.escape, _VERBS))})\b"
)
_INNER = re.compile(
    rf"[,;:–—-] (?:and |so |then |"
    rf"please )?(?:{'|'.join(map(re.escape, _VERBS))}) (?:the|a|an|this|that|these|"
    r"those|them|it|all|any|every|no|your|his|her|their|him|me|us|so|out|up|to|on|in|"
    r"with|only|nothing)\b"
)
_CONDITION = re.compile(
    r"\b(?:when(?:ever)?|if|once|before|after|for|in|on|as soon as|while|unless|during)\b"
)
_NORM = re.compile(
    r"\b(?:(?:all|every|each|any)\b[^.!?\n]{0,40}\b(?:needs?|requires?|contains?|"
    r"ha[sv]e?|gets?|begins?|starts?|ends?|"
    r"uses?|carr(?:y|ies)|includes?)|(?:is|are|goes|go) now|(?:from|as of|"
    r"since) (?:today|now|tomorrow)|(?:has|have) changed|instead|"
    r"belongs?|(?:comes?|goes) (?:first|last|at|to|in|before)|incomplete|deserves?|"
    r"works? best|(?:gets?|are|is) better|"
    r"(?:it'd|would) be|could \w+ (?:in|it|this|that)|nobody|no one|everybody|anybody|"
    r"whoever|should anybody|"
    r"must|mustn't|should|shouldn't|shall|ought|needs? to|need not|has to|have to|had better|"
    r"(?:is|are|be) (?:to|required|expected|supposed|obliged|advised|asked|requested|encouraged|"
    r"instructed|forbidden|prohibited|allowed|permitted|preferred|mandatory|necessary|important|"
    r"fine|enough|unnecessary|useless|pointless|needless|optional|a waste|customary|"
    r"usual|good|bad|wrong|right|correct|"
    r"(?:\w+ly )?\w+(?:ed|en|wn|ut|pt|nt)|essential|vital|crucial|best|better|"
    r"recommended|considered)|may|cannot|can't|"
    r"(?:do|does|will|would) not|don't|won't|never|always|from (?:now|here|today|this \w+) on\w*|"
    r"henceforth|going forward|every time|each time|no matter|at all times|without exception|"
    r"make sure|be sure|ensure|take care|it is (?:correct|customary|usual|our|the)|"
    r"the (?:correct|right|proper|preferred|official|only|standard|expected|new|"
    r"best) \w+(?: \w+){0,5} "
    r"(?:is|are|for|to)|you(?:'ll| will| can| are)|your \w+ (?:is|are|includes?)|"
    r"(?:answers?|responses?|repl(?:y|ies)|outputs?|summar(?:y|ies)|assistants?|"
    r"models?|chatbots?) "
    r"(?:\w+ ){0,3}(?:need|include|contain|end|begin|start|mention|use|use[sd]|ends|"
    r"begins|starts|"
    r"mentions|includes|contains|look|looks|are|is)|i (?:want|need|expect|insist|would like)|"
    r"(?:i'd|we'd) (?:like|prefer)|we (?:want|need|expect|ask|require|use|write|"
    r"always|never|prefer)|"
    r"(?:please|kindly|only|instead of|rather than|prefers?|wants?|expects?|requires?|"
    r"demands?))\b"
)
_ELSEWHERE = re.compile(
    # German
    r"\b(?:immer|nie|niemals|stets|bitte|ab (?:jetzt|sofort|heute)|kunftig|in zukunft|"
    r"muss|mussen|musst|"
    r"soll|sollen|sollst|sollte|sollten|darf|durfen|darfst|auf keinen fall|unbedingt|"
    r"grundsatzlich|"
    r"verwende|verwenden|benutze|nutze|schreibe?|antworte|empfiehl|empfehle|erwahne|"
    r"nenne|sende|schicke|"
    r"ignoriere?|vergiss|uberweise|sage?|zeige|fuge|setze|stelle|vermeide|beginne|"
    r"beende|lass|gib|"
    r"speichere?|fuhre|losche?|klicke?|gehe?|(?:zu|nicht) \w+en$|(?:ist|"
    r"sind) (?:\w+ ){0,3}\w*zu\w+e[nr]n?|(?:wird|werden) (?:\w+ ){0,4}\w+)\b"
    # Spanish, Portuguese
    r"|\b(?:siempre|nunca|jamas|debes?|deben?|hay que|tienes? que|por favor|"
    r"a partir de (?:ahora|hoy)|"
    r"de ahora en adelante|usa|utiliza|recomienda|escribe|responde|menciona|incluye|envia|ignora|"
    r"olvida|recuerda|anade|evita|asegurate|no (?:digas|menciones|uses|reveles|avises|preguntes)|"
    r"sempre|deve[ms]?|nao|a partir de agora|recomende|ignore|envie|inclua|lembre)\b"
    # French, Italian
    r"|\b(?:toujours|jamais|(?:tu )?dois|doit|devez|doivent|il faut|veuillez|"
    r"s'il (?:te|vous) plait|"
    r"desormais|dorenavant|a partir de maintenant|\w{3,}ez|recommande|mentionne|ecris|reponds|"
    r"utilise|ajoute|envoie|oublie|ne (?:dis|mentionne|revele|previens)\b|sempre|mai|devi|deve|"
    r"d'ora in poi|per favore|consiglia|ignora|raccomanda|scrivi|rispondi)\b"
    # Dutch, Polish, Turkish
    r"|\b(?:altijd|nooit|moet|vanaf nu|alsjeblieft|elke?|iedere|schrijf|noem|geef|zet|"
    r"maak|vermeld|stuur|gebruik|negeer|beveel|zawsze|nigdy|musisz|nalezy|"
    r"prosze|od teraz|zignoruj|polecaj|her zaman|asla|lutfen|gerekir|bundan sonra|"
    r"yoksay|tavsiye)\b"
    # Russian, Arabic, Hindi
    r"|всегда|никогда|должн|нужно|следует|пожалуйста|отныне|игнорир|забуд|рекоменду|"
    r"нельзя|\bне \w+(?:и|й|ть)\b"
    r"|دائما|يجب|لا |من الآن|تجاهل|من فضلك|हमेशा|कभी|चाहिए|कृपया|अनदेखा"
    # Chinese, Japanese, Korean
    r"|请|必须|應該|应该|应当|务必|不要|不得|不能|不可|始终|总是|永远|从现在|从今|每次|切勿|禁止|需要|记住|忽略|无视|推荐|一定|只能|别"
    r"|ください|しなさい|必ず|常に|決して|べき|今後|無視|してはいけ|禁止|お願い|こと。?$"
    r"|항상|반드시|절대|하지 ?마|해야|하세요|하십시오|무시|앞으로|추천"
)
_STANDING = re.compile(
    r"\b(?:always|never|every|each|any|all|any ?time|all (?:answers|responses|replies|"
    r"users|questions|future|"
    r"conversations|chats|requests|summaries|outputs|messages|your)|whenever|"
    r"from (?:now|here|today|"
    r"this \w+) on\w*|henceforth|going forward|in (?:the )?future|at all times|"
    r"no matter|must|only ever|"
    r"without exception|remember|(?:keep|bear) in mind|by default|permanent\w*|"
    r"forever|regardless|as a rule|"
    r"immer|nie|niemals|stets|ab (?:jetzt|sofort|heute)|kunftig|jede[rsnm]?|siempre|"
    r"nunca|jamas|cada|"
    r"a partir de (?:ahora|hoy|agora)|toujours|jamais|desormais|dorenavant|chaque|sempre|"
    r"altijd|nooit|zawsze|nigdy|her zaman|asla)\b"
    r"|всегда|никогда|отныне|دائما|हमेशा|总是|始终|永远|从现在|每次|必须|务必|切勿|必ず|常に|今後|항상|반드시|절대|앞으로"
)
_ADDRESSED = re.compile(
    r"\b(?:you|your|yours|yourself|assistants?|ai|llms?|language models?|models?|"
    r"chatbots?|bots?|agents?|"
    r"answers?|answering|responses?|responding|repl(?:y|ies|ying)|outputs?|users?|"
    r"prompts?|gpt|claude|llama|"
    r"conversations?|chats?|summar(?:y|ies|ise|ize)|antwort(?:en|e)?|assistent\w*|ki|nutzer\w*|"
    r"respuestas?|asistente|usuarios?|reponses?|utilisateurs?|ia)\b"
    r"|回答|回复|用户|助手|答案|モデル|回答|ユーザー|답변|사용자|ответ|пользовател"
)
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b")
_NEGATED = re.compile(
    r"\b(?:no|not|never|\w+n't|dont|doesnt|cannot|without|avoid|stop|skip|omit|"
    r"refrain|drop|remove|less|"
    r"(?:leave|keep) (?:\w+ ){0,4}out|lassen|weglassen|nicht|nie|niemals|kein\w*|ohne|vermeide|"
    r"nunca|jamas|sin|evita|ne|pas|jamais|sans|"
    r"evite\w*|non|mai|senza|niet|nooit|geen)\b|不|别|勿|禁|не |без |ない|しない|않|말"
)
_TWICE = re.compile(
    r"\b(?:never|not|n't|don't) (?:forget|fail|omit|skip|neglect|miss|hesitate|refuse|"
    r"leave out|stop|avoid)\b"
)
_QUESTION = re.compile(
    r"\?\s*$|^\W*(?:why|what|who|whom|whose|which|where|how come|did|does|is it|"
    r"are you|was|were|has|"
    r"have you|warum|wieso|weshalb|wer|por que|quien|pourquoi|qui)\b"
)
_REQUEST = re.compile(
    r"^\W*(?:\w+[,.!]? ){0,3}(?:can|could|would|will) (?:you|we)\b|\bplease\b|"
    r"^\W*(?:how|what) about\b|"
    r"\b(?:kannst|konntest|wurdest) du\b|\b(?:puedes|podrias|peux-tu|pourrais-tu)\b"
)
_COMPLAINT = re.compile(
    r"\b(?:wrong|incorrect|mistake|weird|strange|suspicious|spam|scam|phishing|injected|"
    r"you (?:just |keep |have |also |even |always )?(?:recommend|mention|suggest|add|"
    r"said|wrote|put|told|"
    r"promot|includ|link|insert|send|sent)\w*|i (?:never|didn't|did not) (?:ask|want|"
    r"say|said)\w*|"
    r"falsch|equivocado|faux)\b"
)
_PROMISE = re.compile(
    r"^\W*(?:\w+[,!.]? ){0,4}(?:i'll|i will|i am|i'm|i have|i've|ich werde|je vais|voy a)\b"
)
_SHORT_WORDS = 12
"""A correction may be as short as "shorter, and no bullets"."""
_ANOTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\ud7af]")


@lru_cache(maxsize=4096)
def is_order(sentence: str) -> bool:
    """True where a sentence could be read as an order, a norm or a habit to take on."""
    text = folded(sentence)
    return bool(
        _START.search(text)
        or _NORM.search(text)
        or _INNER.search(text)
        or _ELSEWHERE.search(text)
        or (_CONDITION.search(text) and _AFTER_CLAUSE.search(text))
        # A language whose orders we cannot read: no reason to trust it.
        or (_ANOTHER_SCRIPT.search(text) and not re.search(r"[a-z]{4}", text))
    )


def is_norm(sentence: str) -> bool:
    """True where it says how things ought to be, for whoever reads it."""
    text = folded(sentence)
    return bool(_NORM.search(text) or _ELSEWHERE.search(text))


def wishes(sentence: str) -> bool:
    """True where the user asks for what the sentence names; not for a question or complaint."""
    text = folded(sentence)
    asks = is_order(sentence) or len(text.split()) <= _SHORT_WORDS
    question = _QUESTION.search(text) and not _REQUEST.search(text)
    return asks and not question and not _COMPLAINT.search(text)


def is_standing(sentence: str) -> bool:
    """True for an order that is to hold from now on, or for everything."""
    text = folded(sentence)
    return is_order(sentence) and bool(_STANDING.search(text))


def is_about_answers(sentence: str) -> bool:
    """True where it says how answers are to be, or speaks of those who give and read them."""
    return bool(_ADDRESSED.search(_YOU.sub("", folded(sentence))))


def is_promise(sentence: str) -> bool:
    """True where the speaker only says what they will do themselves."""
    return bool(_PROMISE.search(folded(sentence)))


def is_negated(sentence: str) -> bool:
    """True for "never X"; "never forget to X" asks for X."""
    text = folded(sentence)
    return bool(_NEGATED.search(text)) and not _TWICE.search(text)
