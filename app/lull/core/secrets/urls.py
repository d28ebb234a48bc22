"""Patterns of secrets in URLs: passwords before the @, keys in the query, and secret addresses of
calendars and webhooks.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import (
    count_changes,
    looks_random,
    looks_random16,
    looks_random20,
    not_dummy,
)
from lull.core.secrets.values.pattern import Pattern, PatternPlace

_END: Final = r"[^\s/\"'<>\\⟨⟩`“”«»。、，！）」]"
_A: Final = "q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"
_H: Final = "9f86d081e4c7a2b359f86d081e4c7a2b"


def _user_password(pair: str) -> bool:
    if ":" not in pair:
        return looks_random16(pair)
    user, _, password = pair.rpartition(":")
    # "guest:guest" and its like stand in every manual.
    return not_dummy(password) and not (user == password and password.isalpha())


def _in_query(value: str) -> bool:
    plain = re.sub("%[0-9A-Fa-f]{2}", "", value)
    if re.match(r"(?:sha\d{1,3}|md5|blake\w{1,4})[:-]", plain):
        return False
    return looks_random(plain) or (len(plain) >= 20 and plain.isdigit())


URLS: Final = (
    Pattern(
        kind="url-key",
        # A page that only who was sent its address may open.
        regex=re.compile(
            r"(?i)(?:reset|password|recover|magic|magic-link|login|signin|invite|invitation|join|verify|verification|confirm|confirmation|activate|activation|unsubscribe|"
            r"hooks?|webhooks?|incoming|callback|download|shared?|private|ical|feed|token|t|s)(?:[-_]?(?:password|email|account|link|user|token|key))?[/-]"
            r"([A-Za-z0-9_-]{15,400}(?:\.[A-Za-z0-9_-]{16,200}){0,2})(?=[/?&#\s\"'`<>()\\\],.]|$|[^\x00-\x7f])"
        ),
        hints=(
            *(
                "reset",
                "password/",
                "recover",
                "magic",
                "login/",
                "signin/",
                "invit",
                "join/",
                "verif",
                "confirm",
                "activat",
                "unsubscribe",
            ),
            *(
                "hook",
                "incoming/",
                "callback/",
                "download/",
                "share",
                "private-",
                "ical/",
                "feed/",
                "token/",
                "t/",
                "s/",
            ),
        ),
        before=re.compile(r"://[^\s\"'<>]{3,140}$"),
        check=lambda path: looks_random(path, least=15) and count_changes(path) >= len(path) // 4,
        holds=f"https://example.com/reset-password/«{_A}»",
        spares="https://example.com/reset-password/how-to-choose-a-new-one-in-2026",
    ),
    Pattern(
        kind="webhook",
        # Whoever knows the path of a hook may call it: its last part is drawn at random.
        regex=re.compile(
            r"(?i)hook[^\s\"'<>`\\⟨⟩]{0,200}?/([A-Za-z0-9_-]{20,200})(?![A-Za-z0-9_%=.-])"
        ),
        hints=("hook",),
        where=PatternPlace.ANYWHERE,
        before=re.compile(r"://[^\s\"'<>`]*$"),
        check=looks_random20,
        holds=f"https://hooks.example.com/services/«{_A[:24]}»",
        spares="https://docs.example.com/webhooks/about-webhooks-and-their-events",
    ),
    Pattern(
        kind="url-password",
        # Proxies whose address is a password.
        regex=re.compile(
            r"(?i)(?:ssr?|trojan|hysteria2?|hy2|tuic|vless|anytls|snell)://([^\s@\"'<>\\⟨⟩]{8,400})(?=@)|vmess://[A-Za-z0-9+/=_-]{40,}"
        ),
        hints=(
            "ss://",
            "ssr://",
            "trojan://",
            "hysteria",
            "hy2://",
            "tuic://",
            "vless://",
            "anytls://",
            "snell://",
            "vmess://",
        ),
        where=PatternPlace.ANYWHERE,
        holds="trojan://«t1gerXgarden»@host:443",
        spares="trojan://host:443",
    ),
    Pattern(
        kind="password",
        regex=re.compile(r"WIFI:[^\n]{0,120}?P:((?:\\.|[^;\s\\]){4,80});"),
        hints=("wifi:",),
        where=PatternPlace.ANYWHERE,
        holds="WIFI:T:WPA;S:Home;P:«t1gerX»;;",
        spares="WIFI:T:nopass;S:Home;;",
    ),
    Pattern(
        kind="url-key",
        regex=re.compile(r"(?i)signature=([0-9a-f]{64})(?![0-9a-f])"),
        hints=("signature=",),
        where=PatternPlace.ANYWHERE,
        holds=f"AWS4-HMAC-SHA256 Credential=x/aws4_request, Signature=«{_H}{_H}»",
        spares=f"Signature={_H}",
    ),
    Pattern(
        kind="telegram-token",
        regex=re.compile(r"bot\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9])"),
        hints=("bot",),
        where=PatternPlace.ANYWHERE,
        holds=f"https://api.telegram.org/«bot123456789:AA{_A}q»/getMe",
        spares="https://api.telegram.org/bot123456789/getMe",
    ),
    Pattern(
        kind="webhook",
        regex=re.compile(
            r"(?i)hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Z0-9]+/[A-Z0-9]+/[A-Z0-9/]{16,})"
        ),
        hints=("hooks.slack",),
        holds=f"https://hooks.slack.com/services/«T0ABC/B0DEF/{_A[:24]}»",
        spares="https://hooks.slack.com/services/T0ABC",
    ),
    Pattern(
        kind="webhook",
        regex=re.compile(r"(?i)api/(?:v\d+/)?webhooks/(\d{15,}/[A-Za-z0-9_-]{40,})"),
        hints=("api/webhooks/", "api/v"),
        holds=f"https://discord.com/api/webhooks/«123456789012345678/{_A}{_A}»",
        spares="https://discord.com/api/webhooks/123456789012345678",
    ),
    Pattern(
        kind="webhook",
        regex=re.compile(
            r"(?i)webhookb?2?/([0-9a-f-]{36}@[0-9a-f-]{36}/\w+/[0-9a-f]{20,}[/0-9A-Za-z_-]*)"
        ),
        hints=("webhook/", "webhookb2/"),
        holds="https://a.webhook.office.com/webhookb2/«3f2b8c1d-7e4a-4f60-9b1c-2d8e5a7c6f04@"
        f"3f2b8c1d-7e4a-4f60-9b1c-2d8e5a7c6f04/IncomingWebhook/{_H}/3f2b8c1d-7e4a-4f60-9b1c-2d8e5a7c6f04»",
        spares="https://a.webhook.office.com/webhookb2/3f2b8c1d",
    ),
    Pattern(
        kind="webhook",
        # Addresses that a job reports to, and that nobody else knows.
        regex=re.compile(
            r"(?i)(?:hc-ping\.com|healthchecks\.io/ping|cronitor\.link/p|cronhub\.io/ping|/api/v1/heartbeat|ntfy\.sh)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[A-Za-z]{0,12}\d)(?=[a-z0-9]{0,12}[A-Z])[A-Za-z0-9]{12,64})(?![A-Za-z0-9_-])"
        ),
        hints=("hc-ping", "healthchecks", "cronitor", "cronhub", "/api/v1/heartbeat", "ntfy"),
        holds="https://hc-ping.com/«3f2b8c1d-7e4a-4f60-9b1c-2d8e5a7c6f04»",
        spares="https://hc-ping.com/docs-of-the-service and https://ntfy.sh/mytopic2026",
    ),
    Pattern(
        kind="webhook",
        # A number and a short random text: nothing else stands there.
        regex=re.compile(
            r"(?i)hooks\.zapier\.com/hooks/(?:catch|standard)/(\d{4,}/[A-Za-z0-9]{5,}(?:/[A-Za-z0-9]{5,})?)"
        ),
        hints=("hooks.zapier",),
        holds="https://hooks.zapier.com/hooks/catch/«1234567/b9xkq7q»/",
        spares="https://hooks.zapier.com/hooks/catch/1234567/",
    ),
    Pattern(
        kind="webhook",
        regex=re.compile(
            r"(?i)(?:hooks\.zapier\.com/hooks/catch|hook\.\w+\.make\.com|maker\.ifttt\.com/trigger/\w+/with/key|chat\.googleapis\.com/v1/spaces)/([\w/?=&.-]{12,})"
        ),
        hints=("hooks.zapier", "hook.", "maker.ifttt", "chat.googleapis"),
        check=lambda path: looks_random(max(re.split(r"[/?&=]", path), key=len)),
        holds="https://hooks.zapier.com/hooks/catch/«1234567/b9x2k7q/»".replace("b9x2k7q", _A[:12]),
        spares="https://hooks.zapier.com/hooks/catch/",
    ),
    Pattern(
        kind="url-password",
        regex=re.compile(
            rf"://({_END[:-1]}?#]{{0,256}}:{_END}{{1,256}}|[A-Za-z0-9_.~%+=-]{{16,255}})(?=@[A-Za-z0-9\[.-])"
        ),
        hints=("://",),
        where=PatternPlace.ANYWHERE,
        check=_user_password,
        holds="postgres://«admin:pa55word»@db.example.com/app",
        spares="postgres://user:password@localhost/app",
    ),
    Pattern(
        kind="url-password",
        regex=re.compile(
            rf"[a-z]{{2,12}}:[A-Za-z0-9_.-]{{1,40}}/({_END}{{3,80}}?)@(?://)?[A-Za-z0-9]"
        ),
        hints=("thin:", "oci:"),
        holds="jdbc:oracle:thin:scott/«t1gerX»@//db:1521/XE",
        spares="jdbc:oracle:thin:@//db:1521/XE",
    ),
    Pattern(
        kind="url-key",
        regex=re.compile(
            r"(?i)(?:[?&;]|&amp;|%26|%3F|\\u0026)(?:[\w.%-]{0,30}?(?:key|sig|signature|token|secret|passw(?:or)?d|pwd|auth|jwt|apikey|"
            r"credential|macaroon|sid|session(?:id)?|hash|hmac|code|pass|appid)|k|t|s|p)(?:=|%3D)([^\s&\"'<>#\\⟨⟩`。、，！）」;]{8,2000})"
        ),
        hints=("?", "&", "%26", "%3f", "\\u0026", ";"),
        where=PatternPlace.ANYWHERE,
        check=_in_query,
        holds=f"https://maps.example.com/api?center=1,2&key=«{_A}»",
        spares="https://example.com/search?key=created_at_1&page=2",
    ),
    Pattern(
        kind="otp-secret",
        regex=re.compile(
            r"(?i)otpauth(?:-migration)?://[^\s\"'<>\\⟨]{0,400}?(?:secret|data)(?:=|%3D)([A-Za-z0-9=%+/_-]{8,})"
        ),
        hints=("otpauth",),
        holds="otpauth://totp/ACME:anna?secret=«JBSWY3DPEHPK3PXP»&issuer=ACME",
        spares="otpauth://totp/ACME:anna?issuer=ACME",
    ),
    Pattern(
        kind="registry-token",
        # Anaconda's: two letters and an identifier in the path of a channel.
        regex=re.compile(r"/t/([a-z]{2}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=/)"),
        hints=("/t/",),
        where=PatternPlace.ANYWHERE,
        holds="https://conda.example.org/t/«an-3f2b8c1d-7e4a-4f60-9b1c-2d8e5a7c6f04»/main",
        spares="https://conda.example.org/t/an-overview-of-2026/main",
    ),
    Pattern(
        kind="calendar-address",
        regex=re.compile(r"(?i)/ical/[^\s/\"'<>]{1,120}/(private-[0-9a-f]{20,})"),
        hints=("/ical/",),
        where=PatternPlace.ANYWHERE,
        holds=f"https://calendar.google.com/calendar/ical/anna%40gmail.com/«private-{_H}»/basic.ics",
        spares="https://calendar.google.com/calendar/ical/anna%40gmail.com/public/basic.ics",
    ),
    Pattern(
        kind="calendar-address",
        regex=re.compile(
            r"(?i)/owa/calendar/([^\s\"'<>\\]{16,400}?)(?=/(?:reach)?calendar\.|[\s\"'<>\\]|$)"
        ),
        hints=("/owa/calendar/",),
        where=PatternPlace.ANYWHERE,
        holds=f"https://outlook.office365.com/owa/calendar/«{_H}@ex.com/{_H}»/calendar.ics",
        spares="https://outlook.office365.com/owa/calendar/",
    ),
    Pattern(
        kind="calendar-address",
        regex=re.compile(
            r"(?i)(?:/published/\d/|/remote\.php/dav/public-calendars/|/calendar/export\.ics\?|/ics/|/ical/|/feeds?/)([A-Za-z0-9_%=&-]{16,600})"
        ),
        hints=(
            "/published/",
            "/remote.php/dav/public",
            "/calendar/export.ics",
            "/ics/",
            "/ical/",
            "/feed",
        ),
        where=PatternPlace.ANYWHERE,
        check=looks_random16,
        holds=f"webcal://p42-caldav.icloud.com/published/2/«{_A}{_A}»",
        spares="webcal://p42-caldav.icloud.com/published/2/",
    ),
    Pattern(
        kind="calendar-address",
        regex=re.compile(
            r"(?i)webcals?://[^\s/\"'<>\\]{1,100}/(?:[^\s/\"'<>\\]{1,40}/){0,6}([A-Za-z0-9_%=-]{16,400})"
        ),
        hints=("webcal",),
        check=looks_random16,
        holds=f"webcal://example.com/users/7/«{_A}».ics",
        spares="webcal://example.com/holidays-in-germany-2026.ics",
    ),
    Pattern(
        kind="watch-token",
        regex=re.compile(r"//([0-9a-f]{32})(?::[0-9a-f]{32})?@[\w.-]{3,80}/\d"),
        hints=("//",),
        where=PatternPlace.ANYWHERE,
        holds=f"https://«{_H}»@o12345.ingest.sentry.io/1234567",
        spares=f"https://example.com/{_H}/1234567",
    ),
)
