"""What was stored under an older name of a field is read, and still written, under that name."""

from __future__ import annotations

import json
from pathlib import Path

from lull.core.chat.message_chain import links
from lull.core.chat.trajectory import HoldoutAssignment, Selection
from lull.store.chat.deletion_list import ToForget
from lull.store.chat.trajectories import Trajectories
from lull.store.forgetting.forgetting import ForgettingRows
from lull.store.sqlite.database import Database
from tests.building import KEY, turn, user


async def test_what_is_about_to_be_forgotten_names_its_client_as_before(tmp_path: Path) -> None:
    database = Database(tmp_path / "lull.db")
    rows, what = ForgettingRows(database), ToForget(trajectory="c", turns=("t",), owner="anna")
    await rows.save_deletion(what)
    ((value,),) = database.read(
        lambda c: c.execute("SELECT value FROM facts WHERE name = 'forgetting:c'").fetchall()
    )
    stored = json.loads(value)
    assert stored["room"] == "anna" and "owner" not in stored
    assert rows.unfinished_deletions() == [what]
    database.close()


def test_a_selection_stores_its_holdout_assignments_as_flips(tmp_path: Path) -> None:
    database = Database(tmp_path / "lull.db")
    drawn = HoldoutAssignment(client="", name="menu", sha256="a", left_out=True, share=0.1)
    store = Trajectories(database, key=KEY)
    store.record(turn(user("hello")), session="", selection=Selection(assignments=(drawn,)))
    database.flush()
    ((text,),) = database.read(lambda c: c.execute("SELECT selection FROM trajectories").fetchall())
    selection = json.loads(text)
    assert [one["name"] for one in selection["flips"]] == ["menu"]
    assert "assignments" not in selection
    found = store.position(links(KEY, "test", [user("hello")]))
    assert found is not None and found.selection.assignments == (drawn,)
    database.close()
