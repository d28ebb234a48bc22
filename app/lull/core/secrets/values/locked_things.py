"""Words for what is opened or proved by a code that one types in, in several languages: doors, safes
and phones, cards and sign-ins.
"""

from __future__ import annotations

from typing import Final

_THINGS: Final = frozenset(
    """
    access entry acces accès acceso accesso acesso zugang zugangs toegang door frontdoor gate safe vault lock padlock alarm garage keypad keybox lockbox building
    entrance lobby elevator locker house apartment flat suitcase luggage briefcase gym shed barn phone mobile iphone ipad android tablet laptop screen device unlock sim
    voicemail mailbox intercom parking barrier parental control child card bank banking debit credit atm secure security verification confirmation login log-in signin
    sign-in auth authentication authorization onetime one-time activation pairing setup set-up guard sms otp mfa 2fa two-factor twofactor recovery backup reset secret
    zoom meeting gift game parcel pickup pick-up collection validation
    tor torcode garage radschloss sperr entsperr karten karte sicherheits anmelde einmal zahlen geheim kopplungs abhol packstation gutschein jugendschutz fahrstuhl
    aufzug büro
    porte portail portillon immeuble coffre coffre-fort cadenas alarme digicode entrée ascenseur casier vélo valise téléphone portable carte bancaire banque
    vérification sécurité déverrouillage connexion secours messagerie retrait cadeau
    puerta portón portal caja fuerte candado alarma garaje edificio entrada ascensor taquilla bici bicicleta maleta móvil teléfono tarjeta banco banca verificación
    confirmación seguridad desbloqueo buzón voz respaldo recogida regalo validación
    porta portone cancello cassaforte lucchetto allarme verifica sicurezza cofre portão cadeado deur poort kluis slot drzwi brama
    """.split()  # noqa: SIM905  a list would be forty lines
)
_BEGIN: Final = (
    "tür", "tuer", "haust", "garagen", "tresor", "alarm", "schlüssel", "schluessel", "eingang", "spind", "handy", "fahrrad", "koffer", "keller", "freischalt", "bildschirm",
    "bestätigung", "bestaetigung", "sicherheit", "aktivierung", "entsperr", "wiederherstellung", "dörr", "dør", "sejf", "kopplung",
)  # fmt: skip
"""Beginnings of longer words, as German and its neighbours build them."""
_END: Final = (
    "schloss",
    "schloß",
    "schlosses",
    "tür",
    "türe",
    "haustor",
    "gartentor",
    "garagentor",
    "kasten",
    "tresor",
    "door",
    "lock",
)


_WITH_CODES_OF_OTHERS: Final = frozenset({"bank", "banking", "phone", "mobile"})
"""Words before "code" that name a public one: a bank's and a town's."""


def is_locked_thing(word: str, *, before: bool = False) -> bool:
    """Whether a word, in small letters, is something that a code opens or proves; `before`: it
    stands right before "code".
    """
    if before and word in _WITH_CODES_OF_OTHERS:
        return False
    return word in _THINGS or word.startswith(_BEGIN) or word.endswith(_END)
