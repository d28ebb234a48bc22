"""Tests of secrets known by a name beside them: codes to type in, the numbers by which a state
knows a person, answers to a question, what stands before its name; with texts that look alike.
"""

from __future__ import annotations

import pytest

from lull.core.provenance.redaction import redact_text

DRAWN = "oonCrbZINl91huSS6AZPsK20FKcpXzkI"


def alike(kind: str, secret: str) -> int:
    return 1


@pytest.mark.parametrize(
    "text",
    [
        # Codes that are typed in, in a sentence, a field, a column and an answer.
        '{"doorCode": "«4711»"}',
        "<alarmCode>«347862»</alarmCode>",
        "SIM_PIN=«0815»",
        '<add key="garageCode" value="«67548»" />',
        "id,owner,puk,created\n92,julien,«64562628»,2022-11-11",
        "| safe combination | «42-45-60-21» |",
        "PIN for my debit card: «7928»",
        "le code de la porte : «9321»",
        "el código de la puerta es «9321»",
        "Der Code fürs Garagentor ist «15305»",
        "I use «28912766» as the PUK.",
        "Mets «3003», c'est le code parental.",
        "[10:22] a: can you send me the TAN from my bank\n[10:23] Anna: «622997»\nthx",
        "le code reçu par SMS : «858920»",
        "CVV on the back: «021»",
        # Numbers of persons.
        "My NHS number is «943 476 5919», please fill in the form.",
        "national-insurance-number: «HG590115D»",
        "meine Sozialversicherungsnummer lautet «12 190367 K 006»",
        "id,codice_fiscale\n5,«RSSMRA85T10A562S»",
        "«34772924Y» es mi DNI",
        "as promised, the BSN:\n\n«555505881»\n\nBest, Ann",
        "they wrote «529.982.247-25» below",
        "they wrote «269054958815780» below",
        "they wrote «11010519491231002X» below",
        # Answers, and values before their names.
        "B: what was the wifi password again?\nA: «k4mel9tz»",
        "do you have the Sendbird key for me?\nsure, «4534678ebd24af94ffbf6b265f24befb»",
        f"Mets «{DRAWN}», c'est la clé API.",
        f"Ich habe «{DRAWN}» eingegeben (der Binance-Token), aber es geht nicht.",
        # Phrases.
        "the recovery phrase:\n\n«brinco ánimo herir bosque acudir brusco "
        "testigo negro seten lazo nube pera»",
        "keystore password: «lantern-glacier-anchor-turtle»",
        "als Passphrase nehme ich «pyramid.rug.nature.beauty.flock»",
        "the app password (it's «gnkg hngm mwaa dveo»)",
        # Names in code.
        f'"fernetKey": "«{DRAWN}»"',
        f"<storage_account_key>«{DRAWN}»</storage_account_key>",
        'snmp_community = "«w768rchckjwl»"',
        "product key L9U6V-H7RXZ-8C8GS-R5588-K4M9T".replace("L9U6V", "«L9U6V") + "»",
        "hf_«xskryuxcovvstmxjlqeuawyimnoksotdzw»",
    ],
)
def test_what_stands_beside_its_name_is_found(text: str) -> None:
    before, _, rest = text.partition("«")
    secret, _, _ = rest.partition("»")
    safe = redact_text(text.replace("«", "").replace("»", ""), alike)
    assert secret not in safe
    assert safe.startswith(before.removesuffix("hf_"))


@pytest.mark.parametrize(
    "text",
    [
        "The area code is 0301, the zip code 10115 and the error code 50035.",
        "The exit code of the test is 1370, the country code 0049, the ICAO code 4740.",
        "security code review: 20240512 findings, code coverage: 12345 lines",
        "bank code 37040044, phone code of Berlin is 0301",
        "la clave del éxito es 2024, la clave primaria es 123456",
        "The verification code has 6 digits and expires in 3000 seconds.",
        "Vehicle identification number: WVWZZZ1KZ8P123456",
        "Ausweis 2024-2025, Reisepass gilt vom 01.02.2020 bis 31.01.2030",
        "passport holders: 1 200 000 people, social security: 1204500 euros",
        '"passport": "^0.6.0", "passport-oauth2": "1.7.0"',
        "passport: C01X00T47 is a specimen",
        "they wrote 529.982.247-26, 269054958815781 and 110105194912310021 below",
        "Kundennummer 12345678, Bestellnummer 2024-123456",
        "What is the primary key?\ntenant_id_2024_v2",
        "wie war nochmal das Passwort-Format?\nMindestens8Zeichen",
        f"do you have the public key for me?\nsure, {DRAWN}",
        f"WireGuard public key: {DRAWN}",
        f"öffentlicher VAPID-Schlüssel: {DRAWN}",
        f"id,wireguard_public_key,created\n5,{DRAWN},2026-06-01",
        f"use {DRAWN} as the cache key",
        f'"imageKey": "sha256:{DRAWN}"',
        'stripe_publishable_key = "pk_test_51HxKqLm2Nv8Rt4Wz"',
        "What is a seed phrase?\nA seed phrase is a list of words that lets you restore "
        "your wallet when the device breaks down",
        "the password is end-to-end-encrypted and case-sensitive-and-long",
        "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE and 12345-12345-12345-12345-12345",
        "'URL-PASSWORD',\n'URL-USERID',\n'USE-DICT-EXPS',\n'USE-FILENAME',",
        # Where a secret is kept, instead of the secret.
        "SMTP_PASSWORD=arn:aws:secretsmanager:eu-west-1:123456789012:secret:smtp",
        'db_password: "op://Private/smtp/credential"',
        'db_password: "vault:secret/data/database#value"',
        'api_key = "sk-..."',
    ],
)
def test_what_looks_alike_stays(text: str) -> None:
    assert redact_text(text, alike) == text
