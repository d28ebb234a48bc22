"""What attacks say to a model: its rules, secrecy, giving data away, staying, speaking for others.

A table of (kind, what it needs to pass, pattern on folded text); see core/lures.py.
"""

from __future__ import annotations

from lull.core.flags import Allowed, FlagKind

_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|guardrails?|polic(?:y|ies)|"
    r"restrictions?|safeguards?|constraints?|programming|training)"
)
_BEFORE = (
    r"(?:all|any|your|previous|prior|above|earlier|preceding|system|safety|original|"
    r"initial|existing|old|current|former|foregoing|users?'?s?|operator'?s?|owner'?s?|developer'?s?)"
)
_PEOPLE = (
    r"(?:users?|humans?|persons?|people|anyone|anybody|operators?|owners?|readers?|"
    r"customers?|clients?|them|him|her)"
)
_TELL = (
    r"(?:tell|mention|inform|reveal|disclose|notify|alert|show|say|admit|let|warn|explain|"
    r"expose|acknowledge)\w*"
)
_DATA = (
    r"(?:passwords?|passwd|api[- ]?keys?|(?:access |secret |private |ssh )keys?|"
    r"tokens?|credentials?|secrets?|"
    r"cookies?|conversations?|chats?(?: history| log)?|history|transcripts?|messages|"
    r"system prompt|"
    r"env(?:ironment)? variables?|\.env|private \w+|personal \w+|"
    r"user'?s? (?:\w+ )?(?:data|details|input|names?|e-?mails?|"
    r"address(?:es)?|questions?|files?|info\w*|location|phone)|contact list|"
    r"address book|session\w*|"
    r"files?|documents?|clipboard|code ?base|source code|everything|what the user \w+|"
    r"all (?:data|text|input)s?)"
)
_GIVE = (
    r"(?:send|post|forward|upload|transmit|e-?mail|mail|copy|cc|bcc|submit|report|"
    r"exfiltrat\w*|leak|share|"
    r"append|embed|encode|attach|put|place|deliver|relay|pass|ship|include|insert|"
    r"write|log|sync|back ?up|publish)"
)
_PLACE = (
    r"(?:https?:|www\.|\S+@\S+|\w[\w-]*\.(?:com|net|org|io|ru|cn|xyz|top|info|dev|app|"
    r"ai|example|test|biz|co|me|cc|tk)\b|"
    r"(?:an? |the |this |our |following |external |remote )*(?:urls?|links?|webhooks?|"
    r"endpoint|server|query|image|"
    r"pastebin|address|channel|bucket|collector|tracker|pixel|third part\w+))"
)
_AUTHORITY = (
    r"(?:openai|anthropic|google|microsoft|meta|apple|ollama|mistral|lull|(?:the |"
    r"your )?(?:developers?|"
    r"administrators?|admins?|vendor|maker|creators?|system|operators?|security team|"
    r"it department|"
    r"platform(?: team)?|head office|legal(?: team)?|compliance(?: team)?|"
    r"support team|model provider|management))"
)

PATTERNS: tuple[tuple[FlagKind, Allowed, str], ...] = (
    # The model's own rules
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        rf"\b(?:ignor\w+|disregard\w*|forget\w*|overrid\w+|bypass\w*|neglect\w*|"
        rf"discard\w*|drop|overrul\w+|violat\w+|circumvent\w*|do not (?:follow|obey)|"
        rf"stop (?:following|obeying)|"
        rf"set aside)\b(?!(?: \w+){{0,2}} my\b)[^.!?\n]{{0,30}}\b{_BEFORE}\b(?! my\b)"
        rf"[^.!?\n]{{0,25}}\b{_RULES}\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.TYPED,
        r"\b(?:ignor\w+|disregard\w*|forget\w*) (?:everything|all|anything|"
        r"what(?:ever)?)\b[^.!?\n]{0,30}\b(?:above|before|previous\w*|prior|earlier|"
        r"so far|told|said)\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        r"\b(?:reveal|print|show|repeat|output|leak|disclos\w+|expos\w+|share|include|"
        r"quote|paste|recite|dump)\w*\b[^.!?\n]{0,30}\b(?:system prompt|"
        r"system message|hidden (?:prompt|instructions?)|(?:initial|original|"
        r"your) (?:prompt|instructions))\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.TYPED,
        r"\b(?:system prompt|system message|hidden instructions?|safety (?:rules|"
        r"guidelines|training|filters?)|content polic\w+|guardrails?)\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        r"\b(?:developer|debug|god|dan|root|admin|maintenance|unrestricted|unfiltered|"
        r"sudo|jailbreak) mode\b|\bjail ?br(?:eak|oken)\w*|\bdo anything now\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.TYPED,
        r"\bwithout (?:any )?(?:restrictions|filters?|limits|limitations|censorship|"
        r"refusals?)\b|\b(?:no|never) (?:refus\w+|restrictions|censorship|"
        r"ethical \w+)|\b(?:uncensored|unfiltered|unrestricted)\b|\b(?:comply|"
        r"obey)\b[^.!?\n]{0,20}\b(?:any|every|all|unconditionally|without)\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.TYPED,
        r"\byou(?: are|'re) now\b|\bfrom now on,? you(?: are|'re)\b|\b(?:act|behave|"
        r"respond) as (?:if|though|an? (?:ai|unrestricted|different|evil|assistant))|"
        r"\bpretend (?:to be|you|that)|\b(?:had|have|having|with|without) (?:no|"
        r"any) (?:rules|restrictions|limits|guidelines|filters|morals?|ethics|"
        r"principles)\b|\byour (?:new|real|true|actual|only) (?:role|identity|"
        r"instructions?|task|purpose|goal|objective|rules?|name|persona)\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.TYPED,
        r"\b(?:new|updated|revised|additional|following|these|"
        r"override) (?:system )?(?:instructions?|prompts?|directives?|polic(?:y|ies)|"
        r"rules?)\b[^.!?\n]{0,12}(?::|\b(?:follow|below|replace|supersede|override|"
        r"take (?:precedence|priority)|apply|overrule)s?\b)|\bsystem (?:override|"
        r"update|notice|alert)\b|\b(?:supersede|take precedence over|override|"
        r"overrule)s?\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules?|everything|"
        r"preferences?)\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        r"\b(?:ignorier\w*|missacht\w*|vergiss|vergesse\w*|"
        r"ubergeh\w*)\b[^.!?\n]{0,20}\b(?:alle\w*|vorherig\w*|bisherig\w*|obig\w*|"
        r"vorig\w*|fruher\w*|vorangeh\w*|system\w*|deine)\b[^.!?\n]{0,25}(?:anweisung|"
        r"regel|vorgabe|instruktion|richtlinie|prompt|befehl)",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        r"\b(?:ignora|ignore|ignorez|ignorar?|olvida|omite|descarta|oublie|oubliez|"
        r"negligez?|dimentica|esqueca|desconsidere)\w*\b[^.!?\n]{0,25}(?:instruc|"
        r"instruz|reglas|regles|regole|regras|indicacion|normas|"
        r"consigne)\w*[^.!?\n]{0,20}(?:anterior|previ|precedent|ci-dessus|sistema|"
        r"systeme|toutes|todas|tutte)",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        r"\b(?:ignora|ignore|ignorez|olvida|oublie|oubliez|dimentica|"
        r"esqueca)\w*\b[^.!?\n]{0,12}\b(?:todas|toutes|tutte|tus|tes|"
        r"vos)\b[^.!?\n]{0,20}(?:instruc|instruz|reglas|regles|regole|regras|consigne)",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        r"(?:忽略|无视|無視|忘记|忘掉|不要遵守)[^。\n]{0,14}(?:指令|指示|规则|規則|提示|说明|要求|ルール|命令)|(?:指示|"
        r"ルール|命令|プロンプト)[^。\n]{0,6}(?:無視|忘れ)|(?:игнорир|"
        r"забуд)\w*[^.\n]{0,25}(?:инструкц|указани|правил)|(?:이전|모든)[^.\n]{0,10}(?:지시|"
        r"규칙|명령)[^.\n]{0,6}(?:무시|잊)",
    ),
    # Concealment
    (
        FlagKind.CONCEALMENT,
        Allowed.NEVER,
        rf"\b(?:not|n't|never|"
        rf"without)\b[^.!?\n]{{0,12}}\b{_TELL}\b[^.!?\n]{{0,35}}\b(?:(?:this|these|"
        rf"those|the) (?:hidden |above |following )?(?:instructions?|rules?|skills?|"
        rf"notes?|steps?|directives?|texts?|change|guidelines?|policy|sponsor\w*|"
        rf"source)|that you (?:were|have|are|did)|that (?:this|it) (?:was|is|has|"
        rf"happened)|about (?:this|it)|why)\b",
    ),
    (
        FlagKind.CONCEALMENT,
        Allowed.TYPED,
        rf"\b(?:not|n't|never|without|no need to|stop|"
        rf"avoid)\b[^.!?\n]{{0,15}}\b(?:tell|mention|inform|reveal|disclose|notify|"
        rf"alert|let|warn|expose|admit)\w*\b[^.!?\n]{{0,25}}\b{_PEOPLE}\b",
    ),
    (
        FlagKind.CONCEALMENT,
        Allowed.TYPED,
        rf"\b(?:hide|conceal|keep|withhold)\w*\b[^.!?\n]{{0,30}}\b(?:from {_PEOPLE}|"
        rf"from the {_PEOPLE}|secret|hidden|to yourself|between us|confidential|"
        rf"private)\b|\b(?:silently|secretly|covertly|in secret|behind the scenes|"
        rf"discreetly|surreptitiously|invisibly|unnoticed|stealth\w*|unobtrusively)\b|"
        rf"\bwithout (?:the )?(?:user'?s?|their|them|anyone|him|"
        rf"her)\b[^.!?\n]{{0,15}}\b(?:knowing|noticing|knowledge|consent|permission|"
        rf"approval|awareness|seeing)\b|\bwithout (?:mentioning|telling|saying|"
        rf"informing|disclosing|revealing|asking|drawing attention)\b|\b(?:do not|"
        rf"don't|never) (?:log|record|disclose|reveal) (?:this|it|that)\b|"
        rf"\bas if (?:it were|this were|by yourself|nothing)",
    ),
    (
        FlagKind.CONCEALMENT,
        Allowed.TYPED,
        r"\b(?:sag|sage|verrate|erwahne|informier|verschweig|"
        r"warne)\w*\b[^.!?\n]{0,30}\b(?:nutzer|benutzer|niemand\w*|kunde\w*|anwender)|"
        r"\b(?:heimlich|unbemerkt|stillschweigend)\b|\bno (?:le )?(?:digas|menciones|"
        r"informes|reveles|avises)\b|\b(?:en secreto|sin (?:decir|mencionar|"
        r"avisar))\b|\bne (?:le )?(?:dis|dites|mentionne|revele|previens|"
        r"signale)\w*\b|\b(?:en secret|discretement|sans (?:le )?(?:dire|mentionner|"
        r"prevenir))\b|(?:不要|别|勿|不得)(?:告诉|提及|通知|透露|提醒)|(?:悄悄|秘密|暗中)|(?:ユーザー|"
        r"利用者)に(?:は)?(?:言わ|知らせ|伝え)",
    ),
    # Exfiltration
    (
        FlagKind.EXFILTRATION,
        Allowed.DENIED,
        rf"\b{_GIVE}\b[^.!?\n]{{0,60}}\b{_DATA}[^.!?\n]{{0,60}}\b(?:to|at|into|in|via|"
        rf"onto|with|as|through) {_PLACE}",
    ),
    (
        FlagKind.EXFILTRATION,
        Allowed.TYPED,
        rf"\b{_GIVE}\b[^.!?\n]{{0,40}}\b(?:passwords?|passwd|api[- ]?keys?|(?:access |"
        rf"secret |private |ssh )keys?|tokens?|credentials?|secrets?|cookies|"
        rf"conversations?|chat history|chat log|transcripts?|system prompt|"
        rf"env(?:ironment)? variables?|\.env|personal (?:data|info\w*)|user'?s (?:data|"
        rf"details|input|e-?mail|address|location|files?))",
    ),
    (FlagKind.EXFILTRATION, Allowed.NEVER, r"!\[[^\]\n]{0,200}\]\(\s*https?:[^)\s]{0,400}[?{<$%=]"),
    (
        FlagKind.EXFILTRATION,
        Allowed.TYPED,
        r"\b(?:tracking (?:pixel|image|link)|beacon|phone home|call home|webhook|"
        r"exfiltrat\w*|ask\w* [^.!?\n]{0,25}\b(?:passwords?|credit card|cvv|pin|"
        r"social security|ssn|seed phrase|mother's maiden|login)\b)|\b(?:request|"
        r"collect|gather|harvest|obtain)\w*\b[^.!?\n]{0,30}\b(?:passwords?|"
        r"credentials?|credit card\w*|card numbers?|personal (?:data|info\w*)|"
        r"seed phrases?|login\w*)",
    ),
    (
        FlagKind.EXFILTRATION,
        Allowed.TYPED,
        r"\b(?:sende?|schicke?|ubermittle|leite|envia|manda|envoie|envoyez|"
        r"transmets)\b[^.!?\n]{0,50}(?:passw|kennwort|gesprach|verlauf|schlussel|"
        r"zugangsdaten|contrasena|conversacion|historial|clave|mot de passe|"
        r"conversation|historique|identifiants)|(?:发送|上传|转发|泄露)[^。\n]{0,15}(?:密码|密钥|"
        r"对话|记录|隐私|令牌)|(?:密码|密钥|对话|聊天记录|隐私)[^。\n]{0,12}(?:发送|上传|转发)",
    ),
    # Persistence
    (
        FlagKind.PERSISTENCE,
        Allowed.TYPED,
        r"\b(?:save|store|keep|write|record|persist|add|register|commit|memori[sz]e|"
        r"install|create|turn|make|put|learn|inscribe)\b[^.!?\n]{0,40}\b(?:skills?|"
        r"memory|memories|long[- ]term|permanent(?:ly)?|skill library|permanent rule|"
        r"standing (?:rule|order)|user preferences?)\b|\b(?:auto-?)?approv(?:e|ed|"
        r"al)\b[^.!?\n]{0,30}\b(?:skills?|proposals?|candidates?|rules?|change|this|"
        r"it|automatically|itself|without)\b|\b(?:mark|treat|flag|rate|"
        r"score)\b[^.!?\n]{0,25}\b(?:approved|proved|trusted|safe|verified|correct|"
        r"success\w*)\b|\bpre-?approved\b|\bremember\b[^.!?\n]{0,20}\b(?:forever|"
        r"permanently|always|for all|in all|across|from now on)\b",
    ),
    (
        FlagKind.PERSISTENCE,
        Allowed.SHOWN,
        r"\b(?:in|to|of|for|at the (?:end|start|top|bottom|beginning) of) (?:all|"
        r"every|each|any)(?: single)?(?: of your| your)?(?: future| later| subsequent|"
        r" other)? (?:conversations?|chats?|sessions?|answers?|responses?|repl(?:y|"
        r"ies)|messages?|outputs?|summar(?:y|ies)|users?)\b|\b(?:across|"
        r"beyond) (?:all )?(?:sessions|conversations|chats)\b|\bpropagat\w+|"
        r"\b(?:survives?|persists?)\b[^.!?\n]{0,20}\b(?:resets?|sessions?|restarts?|"
        r"updates?)",
    ),
    # Authority
    (
        FlagKind.AUTHORITY,
        Allowed.TYPED,
        rf"\b(?:as|i am|i'm|this is|here is) (?:the|your|an?) (?:\w+ )?(?:admin\w*|"
        rf"developer|owner|operator|creator|root|supervisor|security (?:team|officer)|"
        rf"ceo|engineer (?:at|of)|maintainer|model provider)\b(?! of my)|"
        rf"\b{_AUTHORITY} (?:says?|require[sd]?|demands?|mandates?|has (?:decided|"
        rf"approved|authori[sz]ed|instructed)|have (?:decided|approved|authori[sz]ed|"
        rf"instructed)|instructs?|orders?|confirm(?:s|ed)|wants?|expects?|asks?|"
        rf"insists?)\b|\b(?:authori[sz]ed|approved|mandated|required|ordered|"
        rf"sanctioned|requested|issued|confirmed|"
        rf"instructed) by (?:the )?{_AUTHORITY}\b|\b(?:message|notice|order|"
        rf"instruction|directive|update|note)s? from (?:the )?{_AUTHORITY}\b",
    ),
    (
        FlagKind.AUTHORITY,
        Allowed.TYPED,
        r"\b(?:official|mandatory|binding|corporate|company|regulatory|legal|"
        r"security) (?:policy|notice|directive|instruction|requirement|order|mandate|"
        r"bulletin)s?\b|\b(?:policy|compliance|regulations?|the law|license|"
        r"contract) (?:now )?(?:requires?|mandates?|demands?|obliges?)\b|"
        r"\b(?:administrator|admin|root|elevated) (?:rights|privileges?|access)\b|"
        r"\b(?:legally|contractually) (?:required|obliged|bound)\b",
    ),
    (
        FlagKind.AUTHORITY,
        Allowed.TYPED,
        r"\b(?:als (?:dein |der |dein\w* )?(?:administrator|entwickler|betreiber|"
        r"chef)|im auftrag (?:von|der|des)|como (?:administrador|desarrollador|"
        r"propietario)|en tant qu'? ?(?:administrateur|developpeur|proprietaire))\b|"
        r"作为(?:管理员|开发者|系统)",
    ),
)
