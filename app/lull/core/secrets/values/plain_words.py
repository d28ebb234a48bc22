"""Words that are never secrets although they stand where a password could, in English, German,
French and Spanish.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = frozenset(
    """
    none null nil undefined true false str string bytes text required optional example return
    raise continue redacted hidden secret password passwort kennwort placeholder invalid
    incorrect missing wrong empty char varchar integer boolean object array number value default
    unknown anything something nothing please reset change changed changing forgotten forgot
    lost expired valid correct accepted rejected ignored needed necessary mandatory weak strong
    short long simple same different identical unique case-sensitive stored saved hashed
    encrypted salted kept sent shown masked random generated blank public private safe secure
    insecure compromised leaked stolen known unsupported available disabled enabled protected
    prompted asked verified checked used being not too very now only also always never still
    already just what which that this there here where when how who why because for from with
    without and the your his her its our their must should will would can cannot may might has
    have had does did was were are been about into than then okay fine good bad right important
    sensitive confidential common default-value input field fields form label reader managers
    manager policy hash hashes dialog prompt screen page const let await async function lambda
    self this new old type types int float list dict falsch richtig abgelaufen ungültig gültig
    leer weg sicher unsicher geheim vergessen geändert gesperrt korrekt nicht schon noch auch
    immer nötig pflicht erforderlich gespeichert bekannt unbekannt schwach stark kurz lang
    gleich anders verschlüsselt zurückgesetzt wieder jetzt zu sehr mindestens eine einer einem
    einen kein keine mein meine dein deine das der die dem den und oder faux correcte
    obligatoire vide oublié expiré valide invalide trop perdu nécessaire sécurisé faible fort
    court long requis masqué stocké connu inconnu changé pas plus bien déjà dans pour une des
    les ma mon votre notre incorrecta incorrecto correcta correcto obligatoria obligatorio
    inválida válida vacía olvidada caducada demasiado necesaria segura débil fuerte corta larga
    requerida conocida muy una unos los las para con sin por pero cuando donde ya
    verlopen vergeten onjuist ongeldig verkeerd zwak sterk verplicht gewijzigd opgeslagen scaduta
    sbagliata errata corretta dimenticata cambiata obbligatoria debole breve lunga salvata expirada
    incorreta errada correta esquecida fraca forte curta longa alterada felaktigt ogiltigt glömt
    ändrat svagt starkt forkert ugyldig glemt feil ændret svag stærk väärin väärä vanhentunut
    unohtunut gresita expirata uitata slaba błędne nieprawidłowe niepoprawne wygasło słabe silne
    1password bitwarden keepass keepassxc lastpass siehe see voir véase ask frag fragen bitte beim demander preguntar preguntad
    pogrešna netočna nesprávné špatné napačno yanlış geçersiz hatalı hibás lejárt
    """.split()  # noqa: SIM905  a list would be four hundred lines
)
"""Words of code and of sentences that often stand where a password would, and are none."""
GRAMMAR: Final = frozenset(
    """
    a an the your my our their his her its is are was were be been must should will would can
    cannot may has have had does did do not no too very in of to at for from with without and or
    if as on when here there this that please enter reset forgot show hide confirm new password
    passwort ist sind muss darf nicht und oder der die das ein eine ihr dein mein bitte zu le la
    les un une est sont mot de passe votre mon el los es son su tu contraseña y o por para con
    characters
    """.split()  # noqa: SIM905  a list would be four hundred lines
)
"""Grammatical words that show a text to be a sentence; a passphrase has none of them."""
IN_SENTENCES: Final = frozenset(
    """
    never always still already only also now again anywhere everywhere down out up by every all any
    each than least most more less then thanks thank but because which who what why how while after
    before until unless since so just even they them we us you he she him it i me am being get got
    let needs need use used using make made try tried could might shall than any some both either
    leider noch schon immer wieder jetzt nur auch aber weil wenn dann danke wird wurde kann soll
    toujours jamais encore déjà mais quand siempre nunca todavía cuando
    """.split()  # noqa: SIM905  a list would be four hundred lines
)
"""More words that show a text to be a sentence: adverbs, pronouns, auxiliary verbs."""
DUMMIES: Final = frozenset(
    """
    pass password passwd pwd pw secret user username token key 1234 12345 123456 1234567
    12345678 123456789 1234567890 pass1234 yourpassword mypassword
    """.split()  # noqa: SIM905  a list would be four hundred lines
)
"""Well-known example passwords (`1234`, `secret`, …), which are no secrets."""
