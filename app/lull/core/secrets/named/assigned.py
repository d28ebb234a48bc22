"""Patterns of secrets that are assigned to a name: `password = …`, `"api_key": "…"`,
`Authorization: …`.

There are three sorts of names. After a password's name nearly any value counts as a secret. After a
secret's name (`api_key`, `client_secret`) the value must look random or be quoted. `token` and
`key` alone usually mean something else, so after these only clearly random values count.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from lull.core.secrets.values.judging import (
    bare_password,
    has_sign,
    looks_random,
    looks_random16,
    looks_random20,
    not_dummy,
    quoted_password,
)
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import (
    AMPERSAND,
    BARE,
    GAP,
    QUOTE,
    SIGN,
    Pattern,
    PatternPlace,
)
from lull.core.secrets.values.phrases import is_numbered_phrase
from lull.core.secrets.values.typed import clearly_typed

PASSWORD_NAME: Final = (
    r"(?:pass?[ _-]?(?:word|wort|phrase|wd|code)|psswd|pwd|psw|pswd|kennwort|losung|phrase[ _-](?:de[ _-]passe|secr[eè]te)|palabra[ _-](?:secreta|de[ _-]paso)|frase[ _-](?:de[ _-](?:contrase(?:ñ|n)a|paso)|secreta|segreta)|mot(?:s)?[ _-]?de[ _-]?passe|"
    r"contrase(?:ñ|n\u0303|nh?|ni|\\{1,4}u00f1|Ñ|&ntilde;|%C3%B1)a|senha|wachtwoord|lösenord|adgangskode|salasana|hasło|haslo|пароль|"
    r"密码|密碼|\\{1,4}u5bc6\\{1,4}u(?:7801|78bc)|口令|パスワード|비밀번호)"
)
PASSWORD_HINTS: Final = (
    "passw", "passp", "passc", "pass_w", "pass-w", "pass w", "pass-p", "pass_p", "pasw", "psswd", "pwd", "psw", "pswd",
    "kennwort", "losung", "phrase", "frase", "palabra", "mot de", "mots de", "mot_de", "mot-de", "motde", "contrase", "senha", "wachtwoord",
    "lösenord", "adgangskode", "salasana", "hasło", "haslo", "пароль", "密码", "密碼", "\\u5bc6", "口令", "パスワード", "비밀번호",
)  # fmt: skip
_TAIL: Final = r"(?:[_.-]?(?:\d{1,2}|value|plain|text|plaintext|string|prod|dev|staging|live|db|root|admin|new|old|current|raw|base64|b64|hash|s))?"
_CLOSE: Final = rf"{QUOTE}?\]?\)?(?:\s?\*{{1,2}})?(?:{GAP}:{GAP}(?:&?(?:'static )?(?:str|String|string|Optional\[str\]|char|text)\??)(?={GAP}=)|{GAP}as{GAP}(?:string|object|variant)(?={GAP}=))?"
_TO: Final = rf"(?:{SIGN}|{GAP}(?:\|\||\?\?){GAP}(?=[\"'`])|{GAP}\|{GAP}|</?(?:td|th|b|dt|dd|strong)>(?:\s{{0,4}}<(?:td|dd|code|b)>)?)(?:\*{{1,2}})?{GAP}(?:\(?(?:[bru]{{0,2}}|@|L|N)(?=[\"'\\]))?"
_QUOTED_VALUE: Final = r"(\\{0,7}\"|\\{0,7}'|`|&quot;|&#39;|“|„|«|%22|\\{1,4}u0022)((?:(?!\1|[\"\n⟨⟩]|\\{1,7}\"|\\n).){3,300})(?=\1|[\"”»]|\\)(?!\\{0,7}\"[ ]?:[ ])"

_QUALIFIED: Final = re.compile(
    r"(?i)(?:secret|private|api|access|account|auth|master|encryption|signing|shared|session|service|admin|deploy|license|app|application|"
    r"storage|write|ingest|hmac|jwt|crypto|cipher|root|server|webhook|consumer|host|pre[_-]?shared|enc|aes|rsa|client|bot|"
    r"id|refresh|csrf|xsrf|bearer|oauth2?|personal|security|sas|registration|device|push|reset|verification|publish|ci|job|gh|git|npm|pypi|wep)"
    r"[ _.-]{0,2}(?:(?:access|api|signing|auth)[ _-]?)?$"
)
_SECRET_END: Final = (
    r"(?:key(?:[_-]?base)?|token|secret)(?:[_-]?(?:id|value|data|base64|hash|string|\d{1,2}))?"
)
_SECRET_ALONE: Final = r"(?:secret(?:[_-]?(?:id|string|value|hash|text|data|phrase))?|token[_-]?secret|credentials?|psk|passkey)"
_ENDS: Final = ("key", "token", "secret")
_ALONE: Final = (
    "secret",
    "token_secret",
    "token-secret",
    "tokensecret",
    "credential",
    "psk",
    "passkey",
)


def _basic(value: str) -> bool:
    """Whether the value is NAME:PASSWORD in base64."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and all(32 <= c < 127 for c in plain)


def _drawn_key(value: str) -> bool:
    return looks_random16(value) and not re.match(r"(?:sha|md)\d", value)


def _drawn_or_phrase(value: str) -> bool:
    return looks_random(value) or is_numbered_phrase(value)


def _header(value: str) -> bool:
    return len(value) >= 8 and (looks_random(value) or has_sign(value))


def _drawn_header(value: str) -> bool:
    return looks_random16(value) and not re.fullmatch(r"[0-9a-f]+(?:-[0-9a-f]+)+", value)


def _either(value: str) -> bool:
    """Whether a quoted value after a secret's name is a secret."""
    bare = value.strip()
    if len(bare) < 6 or any(c.isspace() for c in bare):
        return False
    if clearly_typed(bare) or is_numbered_phrase(bare):
        return True
    if re.fullmatch(r"[A-Za-z_$][\w$-]*(?:[./:][\w$-]+)*", bare) and not looks_random(bare):
        return bool(re.search(r"\d", bare)) and not re.search(r"[._/:-]", bare)
    return quoted_password(bare)


NOT_A_SECRET: Final = re.compile(
    r"(?i)(?:⟨secret:|(?:user|username|login|email|host),[ ]|url-|(?-i:(?<![A-Za-z])|(?<=\\[nrt])|(?<=[a-z])(?=[A-Z]))(?:public|publishable|primary|foreign|sort|partition|cache|index|unique|row|route|hot|short|dict|object|s3|idempotency|"
    r"translation|i18n|pad|eos|bos|unk|sep|mask|cls|stop|max|min|num|input|output|prompt|completion|next[_-]?page|page|continuation|next|prev|no|of|registry)[ _.-]{0,2}|arn:[\w:-]{4,90})$"
)

ASSIGNED: Final = (
    Pattern(
        kind="basic-auth",
        regex=re.compile(r"(?i)basic(?:\s|%20|\+|\\u0020){1,3}([A-Za-z0-9+/]{8,}={0,2})"),
        hints=("basic",),
        check=_basic,
        holds="curl -H 'authorization:Basic «YWRtaW46aHVudGVyMg==»'",
        spares="use Basic authentication",
    ),
    Pattern(
        kind="basic-auth",
        regex=re.compile(
            rf"(?i)authorization{QUOTE}?\]?\s?(?:{SIGN}|,\s?|(?=\\{{0,7}}[\"'])){QUOTE}?basic(?:\s|%20|\+){{1,3}}{QUOTE}?([A-Za-z0-9+/]{{8,}}={{0,2}})"
        ),
        hints=("authorization",),
        where=PatternPlace.ANYWHERE,
        check=not_dummy,
        holds='{"Authorization": "Basic «YWRtaW46aHVudGVyMg==»"}',
        spares='{"Authorization": "Basic " + credentials}',
    ),
    Pattern(
        kind="basic-auth",
        # The answer to a challenge, from which the password can be tried out.
        regex=re.compile(
            rf"(?i)digest\s[^\n]{{1,600}}?\bresponse\s?=\s?{QUOTE}([0-9a-f]{{32,64}})(?![0-9a-f])"
        ),
        hints=("digest",),
        holds='Authorization: Digest username="ann", uri="/", response="«9f86d081e4c7a2b359f86d081e4c7a2b»"',
        spares='Digest username="ann", uri="/", response="later"',
    ),
    Pattern(
        kind="bearer",
        regex=re.compile(
            rf"(?i)(?:bearer|ssws|splunk|geniekey|apikey|apitoken|hmac-sha256|negotiate)(?:\s|%20|\+|:){{1,3}}{QUOTE}?([A-Za-z0-9._~+/-]{{16,}}=*)"
        ),
        hints=("bearer", "ssws", "splunk", "geniekey", "apikey", "apitoken", "negotiate"),
        check=looks_random16,
        holds="Authorization: Bearer «q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE»",
        spares="the bearer of bad news from internationalization committees",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"(?i)(?:authorization|x-[a-z-]{{0,24}}(?:key|token|secret|auth|signature)|api-key|private-token|job-token|deploy-token|cookie)"
            rf"{QUOTE}?\]?\s?(?:{SIGN}|,\s?){QUOTE}?(?:[A-Za-z-]{{2,12}}[ =]{{1,2}}){{0,2}}{QUOTE}?([A-Za-z0-9._~+/%:-]{{8,}}=*)"
        ),
        hints=("authorization", "x-", "api-key", "private-token", "job-token", "deploy-token"),
        check=_header,
        holds="Authorization: Token «0123456789abcdef0123456789abcdef01234567»",
        spares="Authorization: Token <token>",
    ),
    Pattern(
        kind="token",
        # A header of a service's own; many end in what their keys belong to.
        regex=re.compile(
            rf"(?i)x-[a-z0-9]{{1,20}}-(?:[a-z0-9]{{1,20}}-)?(?:team|project|account|app|application|client|license|write|access|master|api|pat|user|password|pass)"
            rf"{QUOTE}?\]?\s?(?:{SIGN}|,\s?){QUOTE}?([A-Za-z0-9._~+/$-]{{16,}}=*)"
        ),
        hints=("x-",),
        check=_drawn_header,
        holds="x-honeycomb-team: «q7KxR2mZp4TwB9dHc8LnV5»",
        spares="x-acme-project: internationalization-2026, x-acme-team: 9f86d081-e4c7-a2b3-59f8-6d081e4c7a2b",
    ),
    Pattern(
        kind="cookie",
        regex=re.compile(
            rf"(?i)cookie{QUOTE}?\s?(?:{SIGN}|,\s?){QUOTE}?([^\n\"'<>\\⟨⟩`]{{1,3000}})"
        ),
        hints=("cookie", "set-cookie"),
        pieces=lambda value: (
            m.span(1)
            for m in re.finditer(r"=([^;\s,]{8,})", value)
            if looks_random(re.sub("%[0-9A-Fa-f]{2}", "", m.group(1)))
        ),
        holds="Cookie: sessionid=«k3j2h4g5f6d7s8a9q1w2e3r4»; theme=dark",
        spares="Cookie: theme=dark; lang=de-DE",
    ),
    Pattern(
        kind="cookie",
        regex=re.compile(
            rf"(?i)(?:connect\.sid|phpsessid|jsessionid|asp\.net_sessionid|sessionid|session_id|session|sid|csrftoken|xsrf-token|_session|remember_token|laravel_session|auth_session)"
            rf"{QUOTE}?(?:{SIGN}){QUOTE}?([A-Za-z0-9._%+/=!*~-]{{16,}})"
        ),
        hints=(
            "connect.sid",
            "phpsessid",
            "jsessionid",
            "asp.net_session",
            "session",
            "sid",
            "csrftoken",
            "xsrf-token",
            "_session",
            "remember_token",
            "laravel_session",
        ),
        not_before=re.compile(r"(?i)account[_-]?$"),
        check=looks_random16,
        holds="PHPSESSID=«k3j2h4g5f6d7s8a9q1w2e3r4»",
        spares="session = create_session_for_user_2",
    ),
    # Passwords, quoted and unquoted.
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME}){_TAIL}{_CLOSE}(?:{_TO}|\s?,\s?){_QUOTED_VALUE}"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
        check=quoted_password,
        not_before=NOT_A_SECRET,
        holds='{"password": "«correct horse battery»"}',
        spares='{"password": "Your password must have 8 characters"}',
    ),
    Pattern(
        kind="password",
        # Letters alone count only if the line or list goes on after them.
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME}){_TAIL}{_CLOSE}{_TO}{QUOTE}?"
            rf"(?:([^\W\d_]{{4,200}})(?=[ \t]{{0,4}}(?:[\n,;\"'`<\\|。、，」\])}}]|{AMPERSAND}|$|(?-i:[A-Z][a-z]{{1,60}}+\s)))|((?=[A-Za-z]{{0,200}}[^A-Za-z\s]){BARE}{{4,200}}))"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
        check=bare_password,
        not_before=NOT_A_SECRET,
        holds="DB_PASSWORD=«s3cretpw99»",
        spares="password = settings.database.password",
    ),
    Pattern(
        kind="password",
        # Letters drawn at random are a password, whatever follows them.
        regex=re.compile(
            rf"(?i)(?:{PASSWORD_NAME}){_TAIL}{_CLOSE}{_TO}{QUOTE}?([A-Za-z]{{8,200}})(?![\w.(\[-])"
        ),
        hints=PASSWORD_HINTS,
        where=PatternPlace.ANYWHERE,
        check=are_random_letters,
        not_before=NOT_A_SECRET,
        holds="PASSWORD=«vzVUnQQDkZpuCl» status=200",
        spares="password=DatabasePasswordField of the form",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:pass|pw|pin|mdp|clave|cred|creds|authtok|geheim|losungswort|user/pass|login/pass|snmp[ _-]?community|community[ _-]?string){_TAIL}{_CLOSE}{_TO}{QUOTE}?({BARE}{{5,200}})"
        ),
        hints=(
            *(
                "pass",
                "pw",
                "pin",
                "mdp",
                "clave",
                "cred",
                "authtok",
                "geheim",
                "losungswort",
                "user/pass",
                "login/pass",
            ),
            *("snmp", "community"),
        ),
        check=has_sign,
        not_before=NOT_A_SECRET,
        holds="pw: «hunter22»",
        spares="pw: 12345678",
    ),
    Pattern(
        kind="password",
        # The end of a name in camel case: smtpPass.
        regex=re.compile(rf"(?:Pass|Pw|Creds?){_CLOSE}{_TO}{QUOTE}?({BARE}{{5,200}})"),
        hints=("pass", "pw", "cred"),
        where=PatternPlace.ANYWHERE,
        before=re.compile(r"[a-z0-9]$"),
        check=has_sign,
        not_before=NOT_A_SECRET,
        holds="smtpPass: «hunter22»",
        spares="bypass: hunter22",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            r"(?i)<([a-z:]{0,20}?(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_]?key|passwort|kennwort|mot[-_]?de[-_]?passe|mdp|contrase[ñn]a|senha|wachtwoord|plaintext|value))(?:\s[^<>]{0,100})?>\s{0,3}([^<\s⟨⟩]{4,300})\s{0,3}</"
        ),
        hints=("<",),
        where=PatternPlace.ANYWHERE,
        check=quoted_password,
        holds="<password>«swordfish»</password>",
        spares="<password>${password}</password>",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:name|key|variable|field|id|type){QUOTE}?\s?(?::|=|\s)\s?{QUOTE}?[\w.-]{{0,40}}(?:passw(?:or)?d|passphrase|secret|token|api_?key|_key)(?:_\w{{1,12}})?{QUOTE}?"
            rf"[\s,;{{]{{0,40}}(?:\\n\s{{0,20}})?(?:-\s)?{QUOTE}?(?:value|default|content|text){QUOTE}?\s{{0,3}}[:=]\s{{0,3}}{QUOTE}?({BARE}{{4,300}})"
        ),
        hints=("name", "key", "variable", "field", "id", "type"),
        check=has_sign,
        holds='{"name": "DB_PASSWORD", "value": "«t1gerX»"}',
        spares='<input name="password" value="">',
    ),
    # Secrets by name.
    *(
        Pattern(
            kind="secret",
            regex=re.compile(rf"(?i)(?:{name}){_CLOSE}(?:{_TO}|\s?,\s?){_QUOTED_VALUE}"),
            hints=hints,
            where=PatternPlace.ANYWHERE,
            check=_either,
            before=before,
            not_before=NOT_A_SECRET,
            holds=f'const {word} = "«q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE»"',
            spares=f'{word} = "settings.api.key"',
        )
        for name, hints, before, word in (
            (_SECRET_END, _ENDS, _QUALIFIED, "apiKey"),
            (_SECRET_ALONE, _ALONE, None, "secret"),
        )
    ),
    *(
        Pattern(
            kind="secret",
            regex=re.compile(
                rf"(?i)(?:{name}){_CLOSE}{_TO}{QUOTE}?((?:base64:|django-insecure-|u\+)?{BARE}{{8,2000}})"
            ),
            hints=hints,
            where=PatternPlace.ANYWHERE,
            check=_drawn_or_phrase,
            before=before,
            not_before=NOT_A_SECRET,
            holds=f"{word} = «wJalrXUtnFEMI/K7MDENG/bPxRfiCY»",
            spares=f"{word} = load_secret_key_2()",
        )
        for name, hints, before, word in (
            (_SECRET_END, _ENDS, _QUALIFIED, "aws_secret_access_key"),
            (_SECRET_ALONE, _ALONE, None, "psk"),
        )
    ),
    Pattern(
        kind="secret",
        # The end of a name in camel case: fernetKey.
        regex=re.compile(
            rf"(?:Key|Token|Secret|Verifier|Psk){_CLOSE}{_TO}{QUOTE}?({BARE}{{16,2000}})"
        ),
        hints=("key", "token", "secret", "verifier", "psk"),
        where=PatternPlace.ANYWHERE,
        before=re.compile(r"[a-z0-9]$"),
        not_before=NOT_A_SECRET,
        check=_drawn_key,
        holds='"fernetKey": "«q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE»"',
        spares='"sortKey": "created_at_1_and_updated_at_2"',
    ),
    # Environment variables, and any name that ends like them.
    Pattern(
        kind="secret",
        regex=re.compile(
            rf"(?i)(?:token|secret|key|apikey|credentials?|signature|dsn|pat|jwt|salt|seed|auth){_CLOSE}{SIGN}(?:(?:[bru]{{1,2}}|@)(?=[\"'\\])|\$\((?:echo|printf)[ ])?{QUOTE}?(?:base64:|django-insecure-|u\+)?({BARE}{{6,2000}})"
        ),
        hints=(
            "token",
            "secret",
            "key",
            "apikey",
            "credential",
            "signature",
            "dsn",
            "pat",
            "jwt",
            "salt",
            "seed",
            "auth",
        ),
        where=PatternPlace.ANYWHERE,
        before=re.compile(r"(?:[A-Z0-9]_|[A-Z]{2}|[a-z0-9]_)$"),
        check=_drawn_or_phrase,
        not_before=NOT_A_SECRET,
        holds="export GITHUB_TOKEN=«abc123def456ghi789»",
        spares="SORT_KEY=created_at_1",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"(?i)(?:token|key|secret|psk|sig){_CLOSE}{SIGN}{QUOTE}?([A-Za-z0-9_.+/=~-]{{16,2000}})"
        ),
        hints=("token", "key", "secret", "psk", "sig"),
        check=lambda value: (
            looks_random20(value) or (looks_random16(value) and not value.islower())
        ),
        not_before=NOT_A_SECRET,
        holds="token: «0123456789abcdef0123456789abcdef01234567»",
        spares="tokens: 12345678, token=abc",
    ),
)
