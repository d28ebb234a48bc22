"""Tests that the search for secrets takes no text time that grows with the square of its length.

One such text from a client would stop the whole service, since a regular expression holds the
interpreter lock while it matches.
"""

from __future__ import annotations

import time

import pytest

from lull.core.secrets.finding import secrets_in

LINEAR = 4
"""Growth of the time for a text four times as long; with quadratic time it would be 16."""


def took_s(text: str) -> float:
    began = time.process_time()
    secrets_in(text)
    return time.process_time() - began


def least_s(first: str, again: str, size: int) -> float:
    text = (first + again * (size // len(again) + 1))[:size]
    return min(took_s(text) for _ in range(3))


FEW = [
    ("", "eyJ"),
    ("", "\\"),
    ("", "\\u0061"),
    ("", "%20"),
    ("", "%25"),
    ("?q=", "a+"),
    ("password", "\u200bo"),
    ("", "p: >\n "),
    ("", "password="),
    ("set ", "PASS"),
]
MORE = [
    ("", "%C3%BC"),
    ("", "\\xc3"),
    ("", "&nbsp;"),
    ("", "&amp;amp;"),
    ("", "=a+"),
    # A pattern can begin at each piece, and its first part reads on through all later pieces.
    ("", "gh secret set "),
    ("", "set\t-"),
    ("", "impacket-a\t-"),
    ("", "WIFI:P:"),
    ("", "PWD="),
    ("", "密码"),
    ("", "password is password "),
    ("", "token "),
    ("", "<epassword>\n\n \t\t"),
    ("", "backup codes "),
    ("backup codes\n", "1234 5678\n"),
    ("<<", "A1B2C3D4E"),
    ("", "snmp-server user a sha abcdefgh "),
    ("", "community: "),
    ("", "login: a:b@"),
    ("", "mdp_a_b_c_"),
    ("key={", "1,"),
    ("", "codes 1234 5678 "),
    ("", "communities: - "),
    ("", "login a@b.cc, "),
    # A pattern can begin only once, but can read the rest in more than one way.
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
    # Short texts first: a pattern that tries every way to read a text never ends on a long one.
    control = least_s("", "word ", 10_000)
    for units in (16, 24, 32):
        assert least_s(first, again, len(first) + units * len(again)) < 20 * control
    short, long = (least_s(first, again, size) for size in (10_000, 40_000))
    assert long < 2.5 * LINEAR * short + 0.02
