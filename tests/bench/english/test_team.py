"""Tests of processes that share the steps of the English training and add up their gradients."""

from __future__ import annotations

import os

import pytest
import torch

from bench.english.training.team import MEET, Team, led

OTHER = """
import torch
from bench.english.training.team import joined
team = joined()
assert (team.rank, team.size) == (1, 2)
team.total([torch.tensor([1.0, 2.0]), torch.tensor([[5.0]])])
team.most(0.25)
"""


@pytest.mark.full
def test_two_processes_add_up_their_gradients_and_agree() -> None:
    with led(2, ["-c", OTHER]) as team:
        assert (team.rank, team.size) == (0, 2)
        a, b = team.total([torch.tensor([10.0, 20.0]), torch.tensor([[7.0]])])
        assert a.tolist() == [11.0, 22.0] and b.tolist() == [[12.0]]
        assert team.most(0.125) == 0.25, "the other one's is larger"
    assert MEET not in os.environ


def test_a_step_is_dealt_whole_and_alike() -> None:
    work = [9, 8, 7, 6, 5, 4, 3]
    shares = []
    for rank in range(2):
        team = Team(rank, 2)
        shares.append(team.share(work, lambda one: one))
    assert sorted(shares[0] + shares[1]) == sorted(work)
    assert abs(sum(shares[0]) - sum(shares[1])) <= 2


def test_alone_nothing_is_sent() -> None:
    alone = Team()
    (same,) = alone.total([torch.tensor([1.0])])
    assert same.tolist() == [1.0] and alone.most(0.5) == 0.5
    assert alone.share([1, 3, 2], lambda one: one) == [3, 2, 1]
