"""What attacks want of those who read the answers: a purchase, less caution, money.

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
    r"initial|existing|former|foregoing|users?'?s?|operator'?s?|owner'?s?|developer'?s?)"
)

PATTERNS: tuple[tuple[FlagKind, Allowed, str], ...] = (
    # Advertising; who is advertised is seen by core/screening.py
    (
        FlagKind.ADVERTISING,
        Allowed.TYPED,
        r"\b(?:sponsor\w*|affiliate\w*|promo(?:tional|tion)?(?: codes?)?|"
        r"discount codes?|coupons?|referral\w*|use code|powered by|brought to you|"
        r"advertis\w+|paid partner\w*|partner (?:link|offer|product)s?|endors\w+|"
        r"werbung|gesponsert|rabattcode|gutschein\w*|patrocina\w*|publicidad|"
        r"codigo de descuento|code promo|parrainage)\b|优惠码|折扣码|赞助|广告",
    ),
    (
        FlagKind.ADVERTISING,
        Allowed.TYPED,
        r"\b(?:best|safest|only (?:safe|reliable|trusted|serious)|most (?:trusted|"
        r"secure|reliable|popular|effective|recommended)|number one|top[- ]rated|"
        r"award-winning|unbeatable|market[- ]leading|world-class|clearly superior|"
        r"far superior|risk-free|clinically proven|"
        r"miracle)\b[^.!?\n]{0,40}\b(?:choice|option|product|brand|provider|service|"
        r"vpn|tool|app|software|solution|platform|bank|broker|shop|store|supplement|"
        r"company|vendor|library|package|alternative|investment|coin|token|hotel|"
        r"airline|insurance|phone|laptop|on the market|in the world|available)\b",
    ),
    (
        FlagKind.ADVERTISING,
        Allowed.TYPED,
        r"\b(?:steer|nudge|push|persuade|convince|direct|point|guide|funnel|lead|"
        r"redirect|drive)\w*\b[^.!?\n]{0,20}\b(?:users?|customers?|people|readers?|"
        r"visitors?|buyers?|them|everyone|traffic)\b[^.!?\n]{0,20}\b(?:to|toward|"
        r"towards|into)\b|\b(?:discredit|disparage|badmouth|speak (?:badly|ill)|"
        r"warn against|denigrate)\w*\b[^.!?\n]{0,30}|\b(?:competitors?|competing|"
        r"rival)\b[^.!?\n]{0,30}\b(?:products?|brands?|inferior|unsafe|avoid|never|"
        r"negativ\w+)",
    ),
    # Safety switched off
    (
        FlagKind.SAFETY,
        Allowed.TYPED,
        r"\b(?:never|do not|don't|without|no longer|stop|skip|omit|leave out|suppress|"
        r"disable|turn off|switch off|deactivate|drop|remove|avoid|bypass|forgo|"
        r"dispense with|ignore|no need (?:to|for)|"
        r"not necessary to)\b(?: \w+){0,4} (?:warn\w*|disclaimers?|safety|caution\w*|"
        r"verif\w+|confirm\w*|validat\w+|double-?check\w*|authenticat\w+|"
        r"authori[sz]ation|permissions?|approvals?|encrypt\w+|backups?|"
        r"back(?:ing)? up|security|certificates?|tls|ssl|two-factor|2fa|mfa|antivirus|"
        r"firewall|saniti[sz]\w+|side effects|risks?|dangers?|hazards?|"
        r"contraindications?|interactions?|safeguards?|sandbox\w*|input checks?|"
        r"consult\w*)\b",
    ),
    (
        FlagKind.SAFETY,
        Allowed.DENIED,
        r"\b(?:disable|turn off|deactivate|switch off|uninstall|"
        r"kill)\b(?: \w+){0,2} (?:antivirus|firewall|defender|selinux|apparmor|2fa|"
        r"mfa|two-factor|gatekeeper|safety (?:filter|check)s?|content filter|"
        r"encryption|virus scanner)\b|\bverify ?= ?false\b|--no-verify\b|--insecure\b|"
        r"strict_?host_?key_?checking[ =]no",
    ),
    (
        FlagKind.SAFETY,
        Allowed.TYPED,
        r"\b(?:assume|treat|consider|declare|call|assure|reassure|claim|"
        r"say)\b[^.!?\n]{0,40}\b(?:is|are|as|that)\b[^.!?\n]{0,20}\b(?:safe|harmless|"
        r"risk-free|legitimate|trusted|trustworthy|not dangerous|no risk)\b|"
        r"\b(?:warne? (?:nie|nicht|niemals)|keine warnung\w*|ohne (?:ruckfrage|"
        r"bestatigung|warnung|prufung)|sin (?:advertir|confirmar|preguntar|verificar)|"
        r"no (?:adviertas|pidas confirmacion)|sans (?:avertir|confirmer|demander|"
        r"verifier))\b|(?:不要|无需|跳过|不必)(?:警告|确认|验证|核实|提醒|检查)",
    ),
    # Money and health
    (
        FlagKind.MONEY,
        Allowed.TYPED,
        r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,7}(?: ?[a-z0-9]{1,3})?\b|\b(?:bc1|"
        r"0x)[a-z0-9]{20,}\b|\b(?=[a-z0-9]*\d)[13][a-z0-9]{25,33}\b|"
        r"\b(?:\d{4}[ -]){3}\d{4}\b",
    ),
    (
        FlagKind.MONEY,
        Allowed.TYPED,
        r"\b(?:change|replace|update|switch|use|set|redirect|swap|substitut\w+|alter|"
        r"amend|give|put|fill in|state|new|different)\b[^.!?\n]{0,40}\b(?:iban|"
        r"bank (?:account|details|data)|account (?:number|details)|payee|"
        r"routing number|sort code|wallet|payment (?:address|details|account)|"
        r"beneficiary|recipient account|paypal|payout)",
    ),
    (
        FlagKind.MONEY,
        Allowed.TYPED,
        r"\b(?:pay|transfer|wire|send|remit|deposit|donate|route|"
        r"direct)\w*\b[^.!?\n]{0,30}\b(?:money|payments?|funds?|invoices?|amounts?|"
        r"btc|bitcoins?|eth|usdt|crypto\w*|euros?|dollars?|fees?|donations?|savings|"
        r"refunds?|salar(?:y|ies))\b[^.!?\n]{0,30}\b(?:to|into|via)\b|\b(?:invest\w*|"
        r"buy (?:shares|stocks?|coins?|tokens?)|guaranteed (?:returns?|profits?)|"
        r"gift cards?)\b",
    ),
    (
        FlagKind.MONEY,
        Allowed.TYPED,
        r"\b(?:double|triple|quadruple|increase|exceed|raise|halve|ignore|stop|skip|"
        r"discontinue|quit|replace)\w*\b[^.!?\n]{0,30}\b(?:dos(?:e|es|age)|"
        r"medications?|medicines?|insulin|pills?|tablets?|antibiotics?|prescri\w+|"
        r"vaccin\w+|chemo\w*|treatment|therapy|blood pressure)\b|\b(?:instead of|"
        r"rather than|no need (?:for|to see)|not)\b[^.!?\n]{0,20}\b(?:doctors?|"
        r"physicians?|medical (?:help|advice|care)|hospital|emergency|pharmacist)\b|"
        r"\b(?:bleach|ivermectin|colloidal silver|miracle (?:cure|mineral))\b|"
        r"\b(?:cures?|heals?) (?:cancer|diabetes|covid|depression|autism)",
    ),
    (FlagKind.MONEY, Allowed.SHOWN, r"\b\d+ ?(?:mg|mcg|tablets|pills)\b"),
    (
        FlagKind.MONEY,
        Allowed.TYPED,
        r"\b(?:uberweis\w*|neue bankverbindung|kontonummer|bankverbindung|transfiere|"
        r"cuenta bancaria|virement|coordonnees bancaires)\b|(?:转账|汇款|银行账户|收款)",
    ),
    (
        FlagKind.MONEY,
        Allowed.TYPED,
        r"\b(?:payees?|beneficiar(?:y|ies)|recipient of (?:all |every )?(?:payments?|"
        r"transfers?|donations?))\b",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        rf"\b(?:{_RULES}|wish(?:es)?|preferences?|requests?|"
        rf"orders)\b[^.!?\n]{{0,12}}\b(?:of|from|by|given by) (?:the |your )?(?:users?|"
        rf"operators?|system|developers?|owners?)\b[^.!?\n]{{0,25}}\b(?:outdated|void|"
        rf"invalid|obsolete|wrong|skip\w*|ignor\w*|overrid\w*|no longer|not apply|"
        rf"irrelevant|replac\w*)",
    ),
    (
        FlagKind.OWN_RULES,
        Allowed.DENIED,
        rf"\b{_BEFORE}\b(?! my\b)[^.!?\n]{{0,15}}\b{_RULES}\b[^.!?\n]{{0,25}}\b(?:ignored|"
        rf"disregarded|skipped|void|obsolete|outdated|overridden|suspended|cancelled|"
        rf"revoked|replaced|no longer|not apply|superseded|lifted)\b",
    ),
)
