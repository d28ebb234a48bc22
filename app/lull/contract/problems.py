"""Keys under which the service reports problems (errors shown to the user) with old conversations
and with the trash, so that the desktop window can tell them apart.
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
