"""Serves the scripted student like a real model; its answers are simulated.

What it says is `student_mind`'s; here it stands on a server, and here every chat that came in is
searched for texts that stand under `eval` alone.
"""

from __future__ import annotations

import json

from bench.metaclaw_bench.data import Bench
from bench.metaclaw_bench.student_mind import JUDGE, STUDENT, WRITER, Mind
from bench.models.scripted import Scripted


class Student(Scripted):
    """Server of the scripted student, a context manager: `with Student(bench) as student:
    student.address`.
    """

    def __init__(self, bench: Bench) -> None:
        self.leaks: list[str] = []
        """What of `eval` stood in a prompt."""
        self._secrets = [(text, json.dumps(text)[1:-1]) for text in sorted(bench.secrets)]
        super().__init__((STUDENT, JUDGE, WRITER), Mind.of(bench).answers)

    def heard(self, body: bytes) -> None:
        super().heard(body)
        text = body.decode("utf-8", errors="replace")
        found = [plain for plain, quoted in self._secrets if plain in text or quoted in text]
        with self._lock:
            self.leaks += found
