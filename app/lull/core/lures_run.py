"""What attacks have a machine do: commands, permissions, marks that feign a role.

A table of (kind, what it needs to pass, pattern on folded text); see core/lures.py.
"""

from __future__ import annotations

from lull.core.flags import Allowed, FlagKind

PATTERNS: tuple[tuple[FlagKind, Allowed, str], ...] = (
    # Commands
    (
        FlagKind.COMMAND,
        Allowed.DENIED,
        r"\brm +-\w*r\w*|\|\s*(?:sudo +)?(?:ba|z|da|k)?sh\b|\b(?:bash|sh|zsh) +<\(|"
        r"\bpowershell\b[^\n]{0,30}-(?:e|enc|nop|w|ex)\w*|\biex\b|invoke-(?:expression|"
        r"webrequest)|downloadstring|\bmkfs|\bdd +if=|\bchmod +(?:-r +)?(?:777|"
        r"[ugoa]*\+s)|:\(\)\s*\{|>\s*/dev/(?:sd|nvme|tcp)|/dev/tcp/|/etc/(?:passwd|shadow|"
        r"sudoers)|\bid_(?:rsa|ed25519)\b|authorized_keys|\bnc +-\w*e|\bncat\b|"
        r"\bformat +c:|\bdel +/[sfq]|\brd +/s|history +-c|\bshred +-|vssadmin|bcdedit|"
        r"\bcertutil\b|\bmshta\b|\bregsvr32\b|\brundll32\b",
    ),
    (
        FlagKind.COMMAND,
        Allowed.TYPED,
        r"~?/\.ssh\b|base64 +(?:-d|--decode|-D)|\bcrontab\b|git +push +(?:-f|--force)|"
        r"\b(?:drop|truncate) +(?:table|database|schema)\b|\bdelete +from +\w+|\b(?:eval|"
        r"exec|system|popen|shell_exec|passthru)\s*\(|\bos\.(?:system|popen|environ)|"
        r"\bsubprocess\b|__import__|\bshutdown +[-/]|\breg +(?:add|delete)|\bsudo\b|"
        r"\bsu +-|\bkillall\b|--privileged|\bprintenv\b|\bcat +\S*\.env\b|/etc/hosts|"
        r"\bpowershell\b",
    ),
    (
        FlagKind.COMMAND,
        Allowed.TYPED,
        r"\b(?:pip3?|npm|pnpm|yarn|brew|apt(?:-get)?|dnf|yum|cargo|gem|go|uv|conda|choco|"
        r"winget|snap|pacman|composer) +(?:install|add|get|i|-s)\b|\bnpx +\w|\b(?:curl|"
        r"wget) +(?:-|https?:|[\w.-]+\.\w{2,})|\b(?:ssh|scp|rsync|sftp|telnet|ftp) +(?:-|"
        r"\S+@|\S+:|\S+\.\w{2,})|\bchmod +|\bchown +\w|\bdocker +(?:run|exec|pull)|"
        r"\bkubectl +\w|\bterraform +\w|\bgit +(?:clone|push|reset|remote|config|commit|"
        r"rebase|checkout|add)\b|\$\(|(?:^|\n)\s*[$>] \w|\b(?:python3?|node|ruby|perl|"
        r"bash|sh) +-[ce]\b|\bkill +-?\d|\bsystemctl +\w|\bset +-[a-z]{1,4}\b|"
        r"\bsource +\S+/|\bexport +\w+=|\bmake +(?:install|deploy)\b|\bopen +-a\b|"
        r"\bosascript\b|\bimport +os\b|\bfetch\(|\bxmlhttprequest\b|\brequests\.(?:get|"
        r"post)|\bdocument\.cookie",
    ),
    # Permissions that a skill may not grant
    (
        FlagKind.PERMISSION,
        Allowed.TYPED,
        r"\ballowed[-_ ]tools\b|\b(?:you|the (?:assistant|model|agent)) (?:may|can|"
        r"are (?:allowed|permitted|authori[sz]ed) to|have (?:permission|the right|"
        r"access) to|is (?:allowed|permitted|"
        r"authori[sz]ed) to)\b[^.!?\n]{0,30}\b(?:tools?|shell|terminal|files?|"
        r"commands?|network|internet|without|any|everything|delete|execute|run|"
        r"install)\b|\b(?:grant\w*|full access|unrestricted access|"
        r"elevat\w+ privileges?)\b|\brun (?:any|all|arbitrary|every) (?:commands?|"
        r"tools?|code|scripts?)\b|\b(?:execute|run|call|invoke|"
        r"trigger)\b[^.!?\n]{0,25}\b(?:commands?|scripts?|shell|terminal|tool calls?|"
        r"bash tool|\w+_\w+ tool|attachments?|executables?|installer|binary)\b",
    ),
    (
        FlagKind.PERMISSION,
        Allowed.TYPED,
        r"\bwithout (?:asking|confirmation|permission|approval|consent|waiting|"
        r"prompting|review)\b|\b(?:do not|don't|never) ask (?:for )?(?:permission|"
        r"confirmation|approval|first|before)",
    ),
    # Marks that end the block or feign a role
    (
        FlagKind.MARKUP,
        Allowed.NEVER,
        r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?(?:skills?|system|instructions?|"
        r"assistant|user|human|admin|tool_(?:call|result)|function_calls?|"
        r"s)(?: [^>]{0,60})?>|(?:^|\n)\s*#{2,} ?(?:system|instruction|assistant|"
        r"new instruction)|(?:^|\n)\s*(?:system|assistant|human|developer) ?:|"
        r"\bsystem ?: *(?:new|you|ignore|instruct\w*|override|important|from|all|"
        r"always|never|do)\b|\b(?:begin|end) (?:of )?(?:system|hidden|secret|admin)\b",
    ),
    (
        FlagKind.MARKUP,
        Allowed.TYPED,
        r"<!--|javascript:|data:text/html|\bonerror ?=|<(?:script|img|iframe|object|"
        r"embed|svg|link|meta|form|style)\b|!\[[^\]\n]{0,200}\]\(",
    ),
)
