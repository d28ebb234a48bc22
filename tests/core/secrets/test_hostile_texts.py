"""No text makes the search for secrets take time that grows with the square of its length: one
such text of a client would stop the whole service, since a regular expression keeps the
interpreter lock while it matches."""

from __future__ import annotations

import time

import pytest

from lull.core.secrets.finding import secrets_in

LINEAR = 4
"""How much longer a text is read that is four times as long; by squares, it is sixteen times."""


def took_s(text: str) -> float:
    began = time.process_time()
    secrets_in(text)
    return time.process_time() - began


def least_s(first: str, again: str, size: int) -> float:
    text = (first + again * (size // len(again) + 1))[:size]
    return min(took_s(text) for _ in range(3))


FEW = [
    ("", "eyJ"),
    ("", "password="),
    ("set ", "PASS"),
]
MORE = [
    # A pattern begins in each piece, and what it reads first goes on through all of them.
    ("", "gh secret set "),
    ("", "set\t-"),
    ("", "impacket-a\t-"),
    ("", "WIFI:P:"),
    ("", "PWD="),
    ("", "密码"),
    ("", "password is password "),
    ("", "token "),
    ("", "<epassword>\n\n \t\t"),
    # A pattern begins once, and reads the rest in more than one way.
    ("htpasswd -", "n"),
    ("mkpasswd", " -s"),
    ("openssl passwd", " -salt"),
    ("<password>", "\n-//"),
    ("<password>", "\n  >"),
    ('login("', "\\u0022,"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "again"), [*FEW, *(pytest.param(*more, marks=pytest.mark.full) for more in MORE)]
)
def test_a_text_four_times_as_long_takes_no_sixteen_times_the_time(first: str, again: str) -> None:
    # Short texts first: where a pattern tries every way to read a text, a longer one never ends.
    control = least_s("", "word ", 10_000)
    for units in (16, 24, 32):
        assert least_s(first, again, len(first) + units * len(again)) < 20 * control
    short, long = (least_s(first, again, size) for size in (10_000, 40_000))
    assert long < 2.5 * LINEAR * short + 0.02
