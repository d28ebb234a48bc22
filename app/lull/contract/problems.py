"""Names of the problems (errors shown to the user) that the service reports and for which the
desktop window offers a remedy of its own.
"""

from __future__ import annotations

from typing import Final

OLD_CONVERSATIONS: Final = "old conversations"
"""Problem: many conversations exceed the age or size limit, and are not deleted before the user
agrees.
"""
FULL_TRASH: Final = "full trash"
"""Problem: conversations beyond the age or size limit cannot be deleted, because the
trash is full.
"""
DAMAGED_TRASH: Final = "damaged trash"
"""Problem: files in the trash are damaged, so what is in them cannot be restored."""
