"""What `make run` starts, by packaging/run.sh in this checkout: a window, or the service."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lull.config.paths import Paths
from lull.service.lock import is_running
from tests.paths import ROOT
from tests.running import PATIENCE_S, eventually

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has displays that may not be"),
]


@pytest.mark.parametrize(
    ("display", "said"),
    [({}, "There is no display here"), ({"DISPLAY": ":987"}, "The display :987 does not answer")],
    ids=["none", "dead"],
)
def test_without_a_display_that_answers_it_runs_in_the_terminal(
    tmp_path: Path, display: dict[str, str], said: str
) -> None:
    home = tmp_path / "home"
    paths = Paths.from_environment({}, "linux", home=str(home))
    paths.prepare()
    paths.settings.write_text("[service]\nport = 0\n")
    without = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    process = subprocess.Popen(
        ["sh", "packaging/run.sh"],
        cwd=ROOT,
        env={
            **{k: v for k, v in os.environ.items() if k not in without},
            "LULL_HOME": str(home),
            **display,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    eventually(lambda: is_running(paths.lock))
    process.terminate()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert err.startswith(said) and "runs in this terminal" in err and err.count("\n") == 1
    assert "paste this line" in out
