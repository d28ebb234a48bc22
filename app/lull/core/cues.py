"""English words that tell what a message says about the answer before it.

Every cue is anchored at the start of a clause and names whom it speaks of: the answer (it, that,
your list), the assistant (you), or what the user had asked for. "Wrong" by itself is no cue:
people ask about wrong things all day. All patterns read the one spelling of `own_words.plain`, in
which contractions are written out and apostrophes gone. How cues are weighed is `corrections`'
business.
"""

from __future__ import annotations

import re

_ADVERBS = (
    r"(?:(?:just|still|again|also|so|really|actually|simply|completely|totally|plain|clearly"
    r"|definitely|absolutely|all|both|now|only|even|quite|rather|very|a bit|a little|slightly|way"
    r"|far|much|obviously|probably|partly|mostly|kind of|kinda|sort of|somehow|literally|already"
    r"|once more|always|never|honestly|utterly|entirely|pretty|most likely|certainly|factually"
    r"|technically|apparently|almost|nearly|basically|straight up|once again|yet again)\s+)*"
)
_IT = (
    r"(?:such an? \w+|what you \w+(?: me)?|it|this|that|these|those|they|this one|that one"
    r"|all of (?:it|this|that"
    r"|them)|half of (?:it|this|that|them)|some of (?:it|this|them|these)|most of (?:it|this"
    r"|them|these)|everything|something|(?:this|that|these|those) (?:\w+ ){1,3}?)"
)
_YOURS = r"(?:your (?:[\w-]+ ){1,4}?)"
_THING = (
    r"(?:(?:the|all the|half the|both|each|every|some of the|one of the|two of the|most of the"
    r"|the whole|line|step|point|row|column|number|item|question|chapter|section|clause|page"
    r"|figure|article|verse|slide|exercise"
    r"|sentence|stanza|cell|task"
    r"|paragraph) (?:[\w%.#/-]+ ){0,5}?)"
)
_BE = (
    r"(?:is|are|was|were|looks?|seems?|sounds?|reads?|feels?|comes? out|came out|got|gets"
    r"|has been|have been|had been|turned out|seems to be|should not be|tastes?)"
)
_NOT = r"(?:not|no longer|never|hardly|far from|anything but)"

_BAD = (
    r"(?:wrong|incorrect|inaccurate|untrue|false|broken|missing|off|mistaken|backwards?"
    r"|back to front"
    r"|upside down|reversed|swapped|mixed up|messed up|screwed up|garbage|rubbish|nonsense|crap"
    r"|shit"
    r"|bullshit|trash|useless|terrible|awful|horrible|gibberish|outdated|out of date|obsolete"
    r"|stale"
    r"|invalid|unreadable|illegible|incomplete|empty|blank|duplicated?|misspelled|misspelt"
    r"|mistaken"
    r"|ambiguous|confusing|repetitive|boring|bland|stiff|clunky|vague|cut off|truncated|failing"
    r"|a mess|a mistake|an error|a lie|made up|invented|ridiculous|unusable|unacceptable|lame|weak"
    r"|overkill|bad|poor|sloppy|wordy|verbose|generic|too (?!bad|late)\w+|the (?:wrong|old|other"
    r"|opposite|same) \w+"
    r"|in the wrong \w+|the wrong way (?:round|around)|the other way (?:round|around)|out of order"
    r"|still in \w+|all over the place|double|worse(?: than before)?|nothing like|half right"
    r"|dead|gone|removed|deprecated|discontinued|expired|rude|harsh|aggressive|pushy|childish"
    r"|robotic|cheesy|cringe|redundant|illogical|impossible|irrelevant|off topic"
    r"|beside the point|pointless|unnecessary|last years|yesterdays|only (?:the |a |an |half"
    r"|part|one|two|three)|just (?:the first|half|part of)|buggy|un(?!believabl|der|it|iq"
    r"|usually g)\w{4,}|unhelpful|misleading"
    r"|hallucinated|fake|a year old|from last year)\b"
)
_GOOD_DENIED = (
    rf"{_NOT} (?:a )?{_ADVERBS}(?:right|correct|true|accurate|good|helpful|useful|great|enough"
    rf"|it\b|what|how"
    r"|valid|working|there|in \w+|an?\b|the\b|that\b|\w+ enough|necessary|needed|acceptable|ok"
    r"|okay|fine"
    r"|complete|clear|relevant|up to date|sorted|aligned|like|supposed|my|real|even|\w+ed\b"
    r"|english"
    r"|german|french|spanish|portuguese|python|valid|legal|possible|true|quite|from|for|on"
    r"|metric|close"
    r"|near|nearly|rhyming|matching|compiling|running|showing|synonyms?|\w+ly)\b"
)
_FAILS = (
    r"(?:still )?(?:does|do|did|will|can|could|would) (?:still |just |really |simply |even "
    r"|actually )*not "
    r"(?:still |just |really |simply |even |actually |quite )*"
    r"(?:work|compile|run|build|parse|pass|start|load|answer|help|match|fit|make (?:any "
    r"|much )?sense"
    r"|add up|exist|rhyme|look|sound|do|say|contain|include|follow|handle|cover|mention|render"
    r"|convert|show|return|print|open|sort|hold|seem|reflect|respect|address|solve|fix|taste"
    r"|balance"
    r"|have an?y?\b|have the\b|scan|read|flow|agree|cut it|count|use|tell|explain|change|apply"
    r"|be right|be correct|be true)\b"
)
_FINE_AFTER = r"(?! (?:with|by|for) (?:me|us)\b)"

ABOUT_ANSWER = re.compile(
    rf"^(?:{_IT}|{_YOURS}) ?(?:{_BE} {_ADVERBS}(?:{_BAD}|{_GOOD_DENIED})"
    rf"|{_ADVERBS}{_FAILS}{_FINE_AFTER}"
    rf"|still (?!works|good|great|fine|ok|okay|holds|applies|valid|helps|love|thank)\w+"
    r"|is still (?!good|great|fine|ok|valid|helpful|useful|a good|a great|possible|the best)\w+"
    r"|are still (?!good|great|fine|ok|valid|helpful|useful)\w+"
    r"|(?:has|have|lacks?|is lacking|contains?) (?:still |now |also )*(?:no |too (?:many|much"
    r"|few|little) |nothing|lacks|lacking)|(?:lacks?|is lacking) \w+|still (?:sounds?|looks?"
    r"|reads?|feels?|tastes?|says?|has|uses?) (?!good|great|fine|right|nice|perfect|ok)\w+"
    r"|(?:broke|breaks|deleted|deletes|killed|kills|ruined|ruins|crashed|lost|removes?|removed"
    r"|messed|messes|overwr\w+) (?!the ice)\w+"
    r"|should(?: not)? (?:be|have|not|start|end|say|read|go|come|use|look|contain"
    r"|include)\b(?! (?:enough|fine|ok|okay|all|it|good|easy|possible|great)\b)"
    r"|(?:was|were|is|are) (?:supposed|meant) to\b(?! (?:rain|snow|storm|freeze|get))"
    r"|was to\b|needs? to be \w+|must (?:be|not)\b"
    r"|ought to"
    r"|(?:never|no longer) (?:work|compile|run|match|rhyme)\w*|makes? no (?:\w+ )?sense\b"
    r"|(?:misses|ignores|overlooks|omits|skips|forgets|misstates|confuses) (?:the|my|half|all"
    r"|one|what)\b"
    r"|contradicts?\b|does nothing\b"
    r"|(?:can|could) not (?:be|possibly)\b)"
)
"""It, that, your list: is wrong, does not work, should be otherwise."""

ABOUT_THING = re.compile(
    rf"^(?!.*\bmy\b)(?:{_THING}|(?!i |we |he |she |you "
    rf"|who )[\w-]+ )(?:{_BE} {_ADVERBS}(?:{_BAD}|{_GOOD_DENIED})|{_FAILS}|should (?:be"
    rf"|have been|come|go|say|not)\b"
    r"|(?:is|are) still (?!good|great|fine|ok|valid|there)\w+|(?:has|have) no \w+"
    r"|still (?:sounds?|looks?|reads?|feels?|seems?|tastes?) (?!good|great|fine|right|nice"
    r"|perfect|ok)\w+|still (?:has|have|says|shows?|uses?|is|are)\b"
    r"|(?:was|were|is|are) (?:supposed|meant) to\b(?! (?:rain|snow|storm|freeze|get))"
    r"|(?:goes|go|comes?|belongs?) (?:first|last"
    r"|before|after|at the|on the|in the)\b"
    r"|needs? to be \w+|adds? up to|(?:fails?|crash(?:es)?|breaks?)\b|makes? no (?:\w+ )?sense\b"
    r"|contradicts?\b|never \w+s\b|does nothing\b|(?:is"
    r"|are) not\b(?! (?:that|the problem|so) \b))"
)
"""The total, line 3, half the links: is missing, does not add up. It may be a new story, too."""

YOU_FAILED = re.compile(
    rf"^(?:i (?:think|believe|guess|feel like|am afraid) )?you (?:have |had |are |were |guys "
    rf"|really |can )?{_ADVERBS}"
    r"(?:forgot|forget|forgotten|missed|left (?!me a)(?:[\w']+ ){0,5}?(?:out|off|in)\b"
    r"|left the\b|omitted|skipped|ignored|ignoring|misread|misunderstood"
    r"|misunderstand|mistook|misspelled|misspelt|mixed|confused|confusing|messed|screwed|broke"
    r"|dropped"
    r"|lost|invented|inventing|hallucinat\w+|made (?:(?:that|it|this|stuff|things|them|those"
    r"|half of \w+) )?up|made (?:a|an|the same|another|some|two|several) (?:\w+ )?(?:mistakes?"
    r"|errors?|typos?|assumptions?)"
    r"|got (?:(?:it|that|this|the|them|my|both|all) )?(?:[\w']+ ){0,4}?(?:wrong|backwards"
    r"|mixed up|the wrong)"
    r"|repeated|repeating|repeat|overlooked|overcomplicat\w+|duplicated|butchered|ruined|failed"
    r"|cut (?:it |me )?off"
    r"|did it (?:again|wrong)|did (?:the )?(?:\w+ )?(?:same|opposite|wrong)|did (?:only "
    r"|just )?(?:half|part|nothing)|can not (?!be serious|go wrong|miss|imagine|believe|beat"
    r"|have)\w+"
    r"|not (?!have to|need to|worry)\w+|do not (?!have to|need to|worry|know|happen|want|mind"
    r"|say)\w+"
    r"|did not (?!have to|need to)\w+|have not \w+|should (?!see|know|try|be proud|be fine|get"
    r"|check out|come)\w+"
    r"|should not\b|were (?:not )?(?:supposed|meant|asked|told|to)\b|keep \w+ing"
    r"|keep (?:on )?\w+ing|kept \w+"
    r"|wrong|mistaken|not listening|missing|contradict\w+|still (?!rock|the best|have)\w+"
    r"|never (?!know|fail|cease|disappoint)\w+"
    r"|always (?:put|use|forget|add|write|answer|give|do|say|translate|start|end)\b"
    r"|need to (?:use|put|start|stop|keep|write|answer|check|read|add|include)"
    r"|must (?:not )?(?:use|put|start|stop|keep|write|answer|add|include)|gave me the wrong"
    r"|gave (?:me )?(?:only|just)|wrong)\b"
)
"""You forgot, you ignored, you did not …, you keep …ing."""

YOU_DID = re.compile(
    r"^(?:but |and )?you (?:again |still |just |only |even |also |have |had |already "
    r"|went and )*(?!needed|mentioned|asked|wanted|liked|loved|helped|saved|nailed|solved|fixed"
    r"|explained|guessed|promised|recommended|suggested|offered|described|deserved|rocked"
    r"|indeed)"
    r"(?:are (?!going|doing|trying|making me|being|killing|welcome)\w+ing|\w{3,}ed|used|wrote"
    r"|put|gave|added|changed|removed|deleted|translated|answered|ended"
    r"|started|included"
    r"|kept|sent|swapped|switched|counted|calculated|took|assumed|copied|renamed|stopped"
    r"|capitali[sz]ed"
    r"|rounded|spelled|spelt|sorted|listed|converted|quoted|said|called|addressed|signed|formatted"
    r"|replaced|reversed|multiplied|divided|returned|rewrote|shortened|summari[sz]ed|told me"
    r"|went|turned|repeated)\b"
    r"(?! (?:me )?(?:a |an )?(?:\w+ )?(?:great|good|nice|brilliant|perfect|lovely|lot|hope"
    r"|idea)\b)"
)
"""What the answer did, told back to it; a praise or a question may follow."""

I_ASKED = re.compile(
    r"^(?:but |because |like |as )?i (?:have |had )?(?:already |specifically |explicitly "
    r"|clearly |just |only |literally |actually |did |also |really |originally |even "
    r"|definitely )*"
    r"(?:asked (?:you|for (?!a (?:raise|rise|refund|divorce|discount|loan|date|friend)\b)|about"
    r"|what|how|why|when|where|which|who|in|it)\b|asked qq|asked$"
    r"|(?:told|tell|telling) you|said (?!yes|no to|goodbye|hello|hi\b|sorry|to (?:him|her|them"
    r"|my)|that to)|say (?:it|this) again"
    r"|meant (?!to (?:ask|tell|thank|write|send))|mean (?:the|this|that|in|not|it)\b"
    r"|did not (?:ask|mean|want|say|request|need)\b|never (?:asked|said|wanted|mentioned|told)\b"
    r"|do not (?:want|need|like) (?!to|help|anything|any more)\w+"
    r"|wanted (?!to|qq to)\w+|was (?:asking|looking|hoping|talking|after|thinking of)\b"
    r"|am (?:talking|referring)\b|am not (?:asking|talking|looking for|referring|interested)\b"
    r"|(?:hate|dislike|can not stand|am not a fan of) (?:it|this|that|these|those|the|how|your"
    r"|when you)\b|requested|would (?:like you to|have (?:liked|preferred|expected)|rather"
    r"|prefer)\b|expected|had asked"
    r"|want (?:you to|it|this|that|them|these|plain|only|just|the answer|an answer)\b"
    r"|need (?:you to|it|this|that|them|these)\b(?! (?:by|for|to))|prefer\b|need [\w ]+ not\b"
    r"|want [\w ]+ not\b|would like (?:it|this|that|them)\b)"
)
"""What the user had asked for, said again: it was not heard the first time."""

NOT_THAT = re.compile(
    r"^(?:i do not think so\b|not (?:what (?:i|was)\b|(?:like (?:that|this|so)|quite"
    r"|really(?: what)?$|that(?: one"
    r"| way)?$|this(?: one)?$|those|the one|them|so)\b(?! (?:bad|much|fast|important))))"
)
"""Not like that: where a choice was offered, it is an answer."""
TOLD_BEFORE = re.compile(
    r"^(?:(?:i am )?not (?:so |really |quite |entirely |totally )?sure (?:if |that |whether "
    r"|about )?(?:it|that|this|they|these|the \w+)(?: (?:is|are|was|were) (?:right|correct|true"
    r"|accurate|it|the right|what|how)|$)|i doubt (?:that|it|this)|what i (?:really "
    r"|actually )?(?:meant|wanted|asked for|had in mind) (?:was|is|were)\b"
    r"|i am not (?:really |at all |very )?(?:happy|satisfied|convinced|impressed) with"
    r"|i (?:do not|can not"
    r"|cannot) (?:really |quite |even )?(?:think|believe|see how) (?:it|that|this|they|these"
    r"|those|the [\w ]+|your [\w ]+) (?:is|are|was|were|works?|does|answers?|makes?|fits?"
    r"|matches)\b|(?:like|as) i (?:already )?(?:said|told|wrote|mentioned|asked)"
    r"|how (?:many times|often)|(?:the )?(?:second|third|fourth|fifth|tenth) time (?:now )?you"
    r"|again you (?:have |did not )?(?:ignore|forg[eo]t|miss|use|wr[io]te?|left|add|put|skip)\w*"
    r"|for the (?:last|second|third|\w+th|umpteenth) time"
    r"|not (?:at all )?(?:right|correct|true|good enough|helpful|enough|it|there yet|working"
    r"|useful|good|what)\b|nowhere near|nothing like|not even close|not even\b"
    r"|almost$|almost but|close$|close but|nearly$|read (?:my|the|it|that|this|again"
    r"|what)\b(?=.*\b(?:again|carefully|properly|i)\b|$)"
    r"|let me (?:be clear|repeat|rephrase|say (?:it|this) again|clarify|try again)|to (?:clarify"
    r"|repeat|be clear)$|again i (?:want|need|asked|said)|i repeat|listen$|as (?:mentioned"
    r"|discussed|agreed|said|requested|stated|noted|instructed|described)\b)"
)
"""Not like that; as I said; let me rephrase."""

SAME_AGAIN = re.compile(
    r"^(?:still (?:the )?same|(?:the |the exact )?same (?:error|problem|issue|mistake|bug|result"
    r"|wrong|crap|exception|output|message|thing again|as before)"
    r"|still (?:broken|wrong|not|failing|fails|does|crash\w*|getting|missing|in \w+|no\b|nothing"
    r"|an? |the |too|incorrect|off|bad|unreadable|there|red|errors?|nope|nope|throws?|says)"
    r"|no (?:it|that|this|they|you) (?:is|are|does|do|did|was|were|has|have) not|no change"
    r"|nothing changed|no difference|doesnt work|does not (?:work|compile|run|help|rhyme|match"
    r"|answer|fit)\b|did not (?:work|help|change)"
    r"|not working|wo not work|another (?:error|mistake|wrong)|(?:\w*error|\w*exception"
    r"|crash) again|off by (?:one|\d+|a)\b|nothing (?:happens|happened|works)|no luck|(?:does"
    r"|did) not (?:handle|cover|support|start|parse|build|load|exist|look|make sense|add up"
    r"|count|include|contain|render|show)\b|(?:fails|crashes|breaks|hangs|chokes) (?:for|on|with"
    r"|when|if|at)\b|(?:i )?(?:have )?already (?:tried|did|done)\b|tried that (?:already|before)"
    r"|again wrong|again the (?:same|wrong))"
)
"""Still broken, the same error."""

GIVES_ERROR = re.compile(
    r"^(?:now |then |but |and )*(?:(?:this|that) \w+|(?:these|those) \w+|it|this|that|which"
    r"|your (?:[\w-]+ ){1,3}|the (?:[\w-]+ ){1,2}|line \d+|i|i am|now i|now it|we|(?:running"
    r"|using|calling|opening|executing|pasting) (?:it|this|that)|(?:i )?(?:just )?(?:got|getting"
    r"|get)(?= an?| the| \w*error| this)) ?(?:now |still |just |only |always |keep |am |also )*"
    r"(?:(?<=got )|(?<=get )|(?<=getting )|gives?(?: me| us)?|gave me|throws?|threw|raises?"
    r"|returns?|returned|prints?|outputs?|ends? in|ends? with|results? in|says?|said|shows?|get"
    r"|got|getting|see|produces?|leads? to|causes?|complains?|fails?|crashes|crashed|breaks?"
    r"|hangs?|freezes?|explodes|segfaults|dies|blows up|loops)"
    r"(?:(?: that| about| the| an?| me| this| same| with| on| at| in| when| as| for| if| half"
    r"| every| after| before| to| forever| out| of| nothing| another| new| \S*error\S*"
    r"| \S*exception\S*| none| null| nan| undefined| empty| 404| no such| does not exist"
    r"| is not defined| not found| module| \S+){0,12}?)"
    r"(?: \S*(?:error|errors|exception|traceback|exceptions)\b| nothing\b| none\b| null\b"
    r"| undefined\b| 404\b| empty\b| no such| does not exist| is not| not found| start\w*"
    r"| crash\w*)"
)
"""It gives an error; now it crashes."""
FAILS_ALONE = re.compile(
    r"^(?:now |then )*(?:it|this|that|your \w+) (?:now |still |just |always |also )*(?:crashes"
    r"|crashed|fails|failed|breaks|hangs|freezes|explodes|segfaults|dies|loops|throws|raises"
    r"|errors out|goes wrong|went wrong)\b"
)

BARE_WRONG = re.compile(
    r"^(?:(?:so|completely|totally|plain|just|still|all|utterly|that|very|dead) )*(?:(?:bad"
    r"|wrong|terrible|stupid|poor|lazy|useless|horrible|weak|awful|incorrect|rubbish) (?:answer"
    r"|reply|response|result|translation|bot|job|work|attempt|advice|summary|code|output|joke"
    r"|choice)|wrong|incorrect|false|nonsense|rubbish|bullshit|untrue|inaccurate|garbage|useless"
    r"|terrible|awful|nope wrong|fail|bad bot|try harder|no good|worse|meh|disappointing"
    r"|wrong again|again wrong|epic fail|(?:way )?off|thanks for nothing"
    r"|no thanks to you)(?: again| still"
    r"| answer| one| \w+)?$"
)
THERE_IS = re.compile(
    r"^(?:there (?:is|are) (?:still |also |now |again )*(?:no (?!need|rush|hurry|problem|doubt"
    r"|point|way|worries|such|one|more|pressure|reason|time|wonder)\w+|an? (?:\w+ )?(?:mistake"
    r"|error|typo|bug|problem)|something (?:wrong|missing)|mistakes|errors|typos|too \w+|missing"
    r"|way too|nothing)|missing (?:the|a|an|my|your|two|one|some|all|\w+ing)\b"
    r"|none of (?:these|those|them|the|that|it|your)|only (?:two|three|half|one|the first|part) )"
)
WRONG_ONE = re.compile(
    r"^(?:the )?(?:wrong|other|opposite) (?:file|one|language|order|way(?: (?:a)?round)?|format"
    r"|unit|units|year|date|person|city|country|column|row|name|version|tense|answer|question"
    r"|number|currency|street|address|book|spelling|sign|direction|page|client|account|customer"
    r"|month|day|recipe|tone|branch|folder|line|key|style|words?|place|table|formula"
    r"|topic)\b(?!.*\?)"
)
TOO = re.compile(
    r"^(?:(?:way|far|much|still|a bit|a little|bit|slightly|also|just|again|waaay"
    r"|wayy) )*too (?!bad|late|much to|many to|tired|busy|true|right|kind|$)\w+(?: \w+){0,6}$"
)
COMPLAINING_QUESTION = re.compile(
    r"^(?:but |and |so )?(?:why (?:did|have|had|would) you (?:just |still |again |even "
    r"|go and )*(?:change|remove|delete|add|translate|ignore|skip|drop|leave|switch|rename|not"
    r"|stop|put|write|answer|rewrite|touch|repeat|invent|make|give me|include|keep|break|shorten"
    r"|apologi[sz]e|lie)\w*"
    r"|why (?:did|do|does|are|is|have|has|can) (?:you|it|this|that|they|the \w+|there"
    r"|i) (?:still|always|keep|not|again|even|constantly|suddenly|so (?:long|many|short|formal"
    r"|verbose|much))\b|why (?:is|are) (?:it|this|that|they|the \w+|there|everything|all of it"
    r"|half of it) (?:all |now |suddenly |written )*(?:still|in \w+|missing|gone|empty|so"
    r"|no)\b"
    r"|why is (?:there no|there still|there an? \w+ (?:in|at))"
    r"|why do i (?:still )?get (?:the same|an error|this error)"
    r"|(?:where|what happened to|where did) .*\bi (?:asked|wanted|told|requested|gave)\b"
    r"|where did (?:the|my|all) .*\bgo$|what happened to (?:the|my)\b|where (?:is"
    r"|are) (?:the (?:rest|other|second|third|last|first|remaining|missing)|my|your|part \w+)\b"
    r"|where (?:did|have) you"
    r"|(?:did|have|can|are|do|were|will) (?:you|u) (?:even|not|forget|miss|just|forgotten"
    r"|misread|drop|ignore|seriously|really (?:read|think)|read (?:my|the|what))\b(?! (?:know"
    r"|want|think|have))|(?:did|have) i not (?:say|ask|tell|said|asked|told)|(?:did"
    r"|have) not i\b|did i (?:say|ask for|ask you|tell you)|have i (?:ever )?asked"
    r"|should not (?:it|that|this|the|these|those|they|you|there)|is not (?:it|that|this"
    r"|the \w+) (?:wrong|missing|supposed|actually|the other|backwards|spelled|spelt|called"
    r"|outdated|a bit too|too|out of date|the wrong|rather|still)\b|(?:is|are) (?:it|that|this"
    r"|they|there|you) not (?:wrong|missing|supposed|spelled)"
    r"|are you (?:kidding|serious|joking|drunk|blind|sure (?:that is|it is|about)|even|deaf"
    r"|stupid|listening)|is (?:that|this) (?:a joke|supposed|meant|all|it$)|what (?:is this"
    r"|the (?:hell|heck|fuck)|kind of answer|are you (?:doing|talking)|was that|part of)"
    r"|since when (?:is|are|does|do)|who (?:asked|told) you|how (?:is|are|does|can) (?:this|that"
    r"|it|those) (?:an? |the |my |supposed|help|answer|right|correct|relevant|anything)"
    r"|how hard (?:is|can))"
)
"""A question that is a reproach."""

NO_START = re.compile(
    r"^(?:no|wrong|incorrect)(?=$| (?:i|it|that|this|you|not|the|use|they|there|we|he|she|do"
    r"|please|make|put|no|wait|sorry|only|just|still|wrong|nope|in|with|without|as|but|my|your"
    r"|its|she|write|join|start|always|never|again|when|for an?\b|way too"
    r"|too)\b)(?! (?:i do not need|i am (?:good|fine|ok)|need\b))"
)
"""A "no" that answers the answer: it stands alone or somebody or something follows it."""
BUT = re.compile(
    r"^(?:but|however|though|although|except|only(?= (?:the|one|it|that|two))|(?:just "
    r"|only )*(?:one|two|a|some|a few|my only|the only|an) (?:small |tiny |minor |more |last "
    r"|little |quick )*(?:thing|things|problem|issue|issues|correction|corrections|detail"
    r"|details|nit|nits|remark|remarks|change|changes|mistake|complaint)|small (?:nit|thing"
    r"|correction|issue)|nit)\b"
)
NOT_AGAINST = re.compile(
    r"^(?:but |however |though |please )*(?:i (?:will|would|found|have|had|am|need to|can|could"
    r"|did|solved|fixed|got|already|decided|still have|think i|do not have time)\b|no need"
    r"|never mind|that is (?:ok|fine|all|good)|it is (?:ok|fine|good)|we (?:will|have|are)"
    r"|let us|my\b|nobody|who|what|how|why|when|where|is|are|does|do|can|could|will|would"
    r"|should)\b"
)
