"""Patterns of secrets, most of them recognised by the name that goes with the secret: words for
"password" and the like in many languages, and the ways in which a value follows its name, such as
in a sentence, in a table's column or in an XML element.
"""

from typing import Final

from lull.core.secrets.named.blobs import BLOBS
from lull.core.secrets.named.calls import CALLS
from lull.core.secrets.named.codes import CODES
from lull.core.secrets.named.devices import DEVICES
from lull.core.secrets.named.documents import DOCUMENTS
from lull.core.secrets.named.entered import CODES_TO_ENTER
from lull.core.secrets.named.glued import GLUED
from lull.core.secrets.named.markup import MARKUP
from lull.core.secrets.named.positions import POSITIONS
from lull.core.secrets.named.programs import PROGRAMS
from lull.core.secrets.named.tables import TABLES

NAMED: Final = (
    *DOCUMENTS,
    *BLOBS,
    *DEVICES,
    *PROGRAMS,
    *TABLES,
    *MARKUP,
    *GLUED,
    *CALLS,
    *CODES,
    *POSITIONS,
    *CODES_TO_ENTER,
)
