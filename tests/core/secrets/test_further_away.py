"""Tests of secrets that stand further from their name than right behind it, or have none: later on
the line, on a line below, among the arguments of a call or of a command, in a sentence about a
lock; with texts that look alike.
"""

from __future__ import annotations

import pytest

from lull.core.provenance.redaction import redact_text

DRAWN = "oonCrbZINl91huSS6AZPsK20FKcpXzkI"
HEX = "eac7efc42cad214a83408b639708ad6780615e46"


def alike(kind: str, secret: str) -> int:
    return 1


@pytest.mark.parametrize(
    "text",
    [
        # Later on the line.
        "A password was generated for root@db1.example.com: «Coffee+9979oo»",
        "Neues Passwort für anna@example.com wurde erzeugt: «Puzzle!7893ii»",
        "Hier sind die Logindaten vom Router (192.168.178.1): admin / «Rocket#5376CC»",
        f"here is the token for prod, please do not share it: «{DRAWN}»",
        f"Hier ist der Token für die Test-API, er läuft nicht ab: «{HEX}»",
        f'set security ike policy P1 pre-shared-key ascii-text "«{DRAWN[:24]}»"',
        # On a line below.
        "# auth-user-pass file: user, then password\nanna\n«Coffee+8849jj»",
        "mysql> SELECT password FROM users WHERE id=1;\n«Monkey+6659DD»",
        f"argocd admin initial-password -n argocd\n«{DRAWN[:16]}»",
        f"$ openssl rand -hex 20\n«{HEX}»",
        # Arguments.
        'conn.Open "DSN=Lager", "lager", "«Rocket!5964ss»"',
        'ssh.connect("10.0.0.5", 22, "root", "«Winter-5152ZZ»")',
        f'algoliasearch("latency7", "«{HEX[:32]}»")',
        f"rollbar.init('«{HEX[:32]}»', 'production')",
        f"pusher = Pusher('{HEX[:6]}', 'main', '«{DRAWN}»')",
        f"acmectl login --relogin «{HEX}»",
        "expo login -u anna -p «Dragon-5711GG»",
        "drush user:password admin '«Summer-4029AA»'",
        f'secrets = {{ s3 = "«{DRAWN}»" }}',
        'secrets["db"] = "«Rocket-4815gg»"',
        'geth account unlock --password-text "«winter rocket dragon coffee»"',
        "ffmpeg -i in.mp4 -f flv rtmp://a.example.com/live2/«gpis-559j-3sy3-e7qk-e9e4»",
        f"kid: {DRAWN[:22]}\nhmacEncoded: «{DRAWN}»",
        # Lists of users and passwords.
        'anna l2tpd "«Rocket!8522YY»" *',
        ': RSA server.key "«Purple.8440mm»"',
        "10.0.0.5:8080:anna:«Ij7tHMoYk1bi»",
        # Locks, phones, cards and networks.
        "The key is in the lockbox left of the door, the code is «8023».",
        "Schlüsselkasten am Zaun, Code «2906»",
        "la boîte à clés est à gauche de la porte, le code est «9511»",
        "alarm panel: press disarm, then «6544»",
        "zum Entsperren vom Tablet «5523» eingeben",
        "pour déverrouiller mon téléphone c'est «408808»",
        "para desbloquear mi móvil usa «546482»",
        "cadenas du vélo : «6300»",
        "Kartenprüfnummer: «962»",
        "código de seguridad de la tarjeta: «277»",
        "PIN der EC-Karte: «0040»",
        "Steam Guard revocation code «R36284»",
        "Reisepass-Nr. «C4K7T0M5X»",
        "clé Wi-Fi de la box : «KNUGH9ATHUSFS0VLLIZ5L8CTRC»",
        # Prefixes of issuers nobody has heard of.
        f"«acme_{DRAWN[:28]}»",
        f"«tr_dev_{DRAWN[:20]}»",
        f"sid=«00D4eQTK7RHEvke!AQ{DRAWN}»",
    ],
)
def test_what_stands_further_away_is_found(text: str) -> None:
    before, _, rest = text.partition("«")
    secret, _, _ = rest.partition("»")
    safe = redact_text(text.replace("«", "").replace("»", ""), alike)
    assert secret not in safe
    assert safe.startswith(before)


@pytest.mark.parametrize(
    "text",
    [
        "login failed for user 'App1_Dev2x' on host web-03",
        "The account team released Billing-Service_v2.3.1 with the login page; see Sheet1!A1:B12",
        "root cause: NPE in Cart.Service2b, see kernel32!CreateFileW+0x15",
        "user agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
        '203.0.113.9 "GET / HTTP/1.1" 200 5123 "-" "Mozilla/5.0"',
        "password_encryption = scram-sha-256",
        "password_hash = argon2id",
        'stripe.api_key = "sk_test_..."',
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        f"Can you check the key? -----BEGIN PUBLIC KEY-----\n{DRAWN}\n-----END PUBLIC KEY-----",
        f"npub1{DRAWN.lower()} is her public nostr key",
        f'download("https://example.com/model.bin", "{HEX}")',
        f'assertEqual(commit("main"), "{HEX}")',
        f'cache.get("user", "{HEX[:32]}")',
        'new Guid("804086fe-05ab-4c9e-aa58-894d31709dbb")',
        "docker run -u 1000:1000 -p 8080:80 nginx:1.25-alpine3.18",
        "ssh -l anna -p 2222 host.example.com",
        "secrets: [{name: s3, key: s3-Key}]",
        "rtmp://live.example.com/app/stream_2024",
        "The gate opens at 0800 and closes at 1800.",
        "unlock the achievement with 5000 points",
        "The box is left of the door, the zip code is 80230, the error code is 8023.",
        "CID 1024 in the font, CSC 2024 conference",
        "key features of the router: WiFi6E-AX5400",
        "the wifi password is on the router\nFRITZ!Box 7590",
        "foo/Bar?Baz=1 and docs/Page#Section2",
        'private: true, "privacy": "Level-2b"',
        f"ed2k link of a free film: size 734003200, hash {HEX[:32].upper()}",
    ],
)
def test_what_looks_like_it_stays(text: str) -> None:
    assert redact_text(text, alike) == text
