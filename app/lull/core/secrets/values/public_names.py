"""Names of values that are meant to be seen although they look like secrets: public keys, the ids of
keys, fingerprints.
"""

from __future__ import annotations

import re
from typing import Final

NAMED_PUBLIC: Final = re.compile(
    r"(?i)(?:(?<![a-z])(?:public|publishable|publicable|pub|site)[ _.-]?(?:[a-z0-9]{1,16}[ _.-])?(?:key|schlüssel)|"
    r"(?<![a-z])öffentliche[rns]?[ ](?:[\w-]{1,24}[ -])?schlüssel|cl[ée][ ]publi(?:que|able)|clave[ ]p(?:ú|u)blica(?:ble)?|chiave[ ]pubblica|chave[ ]p(?:ú|u)blica|"
    r"(?<![a-z])(?<!private.)(?<!access.)(?<!secret.)key[ _.-]?id|sec-websocket-(?:key|accept)|(?<![a-z])(?:part)?uuid|(?<=gpg: )key|(?<=recv-)key|fingerprint|fingerabdruck|recipient)s?(?![a-z])"
    r"(?:[^\w\n]{0,12}|[ ](?:is|ist|est|es|for me|again)[^\w\n]{1,4}|(?:(?!\S{12})[^\n]){0,40}\n[^\n]{0,40}[ :])$"
)
"""Such a name, and what may stand between it and its value."""


def names_public(name: str) -> bool:
    """Whether a name says that what it names may be seen, as that of a public key does."""
    return NAMED_PUBLIC.search(name) is not None
