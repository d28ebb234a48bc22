"""Patterns of secrets that are known by their place in a structure of its own: the lines of SNMP, a
login before a host, a list of codes, the machine-readable lines of a passport, a setting whose name
is in another language than English, an argument of a call, the line below a name.
"""

from typing import Final

from lull.core.secrets.placed.arguments import ARGUMENTS
from lull.core.secrets.placed.code_groups import CODE_GROUPS
from lull.core.secrets.placed.code_lists import CODE_LISTS
from lull.core.secrets.placed.later import LATER
from lull.core.secrets.placed.literals import LITERALS
from lull.core.secrets.placed.logins import LOGINS
from lull.core.secrets.placed.opened import OPENED
from lull.core.secrets.placed.pairs import PAIRS
from lull.core.secrets.placed.settings import SETTINGS
from lull.core.secrets.placed.snmp import SNMP
from lull.core.secrets.placed.told import TOLD
from lull.core.secrets.placed.travel_documents import TRAVEL_DOCUMENTS

PLACED: Final = (
    *TRAVEL_DOCUMENTS,
    *CODE_LISTS,
    *SNMP,
    *LOGINS,
    *SETTINGS,
    *OPENED,
    *PAIRS,
    *LATER,
    *ARGUMENTS,
    *LITERALS,
    *CODE_GROUPS,
    *TOLD,
)
