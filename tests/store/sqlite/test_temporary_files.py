"""Tests that SQLite's temporary files, which hold what was said, lie in Lull's folder alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="names the folder as POSIX does"),
]

DATABASE = """
import sys
from pathlib import Path
from lull.store.sqlite.database import Database
from lull.store.forgetting.forgetting import ForgettingRows

database = Database(Path(sys.argv[1], "lull.db"))
database.submit(lambda c: c.execute(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)"
    " INSERT INTO facts SELECT 'word ' || i, hex(randomblob(300)) FROM n"
)).result()
database.read(lambda c: c.execute("SELECT * FROM facts ORDER BY value").fetchone())
ForgettingRows(database).rewrite()
database.close()
"""
CHROMA = """
import sys
from pathlib import Path
from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.exemplars import ChromaExemplars

memory = ChromaExemplars(Path(sys.argv[1], "vectors"), HashedNgrams())
for number in range(60):
    memory.add(id=f"{number}:", text=f"a request {number}" * 20, client="test", skill="menu")
memory.rewrite()
"""


@pytest.mark.parametrize("script", [DATABASE, CHROMA], ids=["database", "past requests"])
def test_nothing_is_laid_into_the_folder_for_temporary_files(tmp_path: Path, script: str) -> None:
    home, temporary = tmp_path / "it's a home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    environ = {**os.environ, "TMPDIR": str(temporary)}
    environ.pop("SQLITE_TMPDIR", None)
    before = temporary.stat().st_mtime_ns  # a file that comes and goes moves it too
    words = [sys.executable, "-c", script, str(home)]
    ran = subprocess.run(words, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert temporary.stat().st_mtime_ns == before
