"""Tests of processes that share the steps of the English training and add up their gradients."""

from __future__ import annotations

import os

import mlx.core as mx
import pytest

from bench.english.training.team import Team, led

OTHER = """
import mlx.core as mx
from bench.english.training.team import joined
team = joined()
assert (team.rank, team.size) == (1, 2)
team.total({"a": mx.array([1.0, 2.0]), "b": [mx.array([[5.0]])]})
team.any(False)
team.any(True)
"""


@pytest.mark.full
def test_two_processes_add_up_their_gradients_and_agree() -> None:
    with led(2, ["-c", OTHER]) as team:
        assert (team.rank, team.size) == (0, 2)
        whole = team.total({"a": mx.array([10.0, 20.0]), "b": [mx.array([[7.0]])]})
        assert whole["a"].tolist() == [11.0, 22.0] and whole["b"][0].tolist() == [[12.0]]
        assert not team.any(False)
        assert team.any(False), "the other one says yes"
    assert "MLX_RANK" not in os.environ


def test_a_step_is_dealt_whole_and_alike() -> None:
    work = [9, 8, 7, 6, 5, 4, 3]
    shares = []
    for rank in range(2):
        team = Team()
        team.rank, team.size = rank, 2
        shares.append(team.share(work, lambda one: one))
    assert sorted(shares[0] + shares[1]) == sorted(work)
    assert abs(sum(shares[0]) - sum(shares[1])) <= 2


def test_alone_nothing_is_sent() -> None:
    alone = Team()
    tree = {"a": mx.array([1.0])}
    assert alone.total(tree) is tree and alone.any(True) and not alone.any(False)
    assert alone.share([1, 3, 2], lambda one: one) == [3, 2, 1]
