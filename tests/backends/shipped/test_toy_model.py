"""Tests of the toy model's description: what it says comes from the files that ship with Lull."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.backends.shipped import toy_model
from lull.core.errors import ResourceError
from lull.core.models.learnable import size_of
from lull.resources import INSTALL_AGAIN


def test_it_is_decoded_greedily_and_its_dimensions_are_known() -> None:
    toy = toy_model.read_toy()
    assert toy.name == "pocket"
    assert toy.sampling.temperature == 0.0
    size = size_of(toy)
    assert size.weights == toy.parameters > 0
    assert min(size.hidden, size.layers, size.inner, size.vocabulary) > 0


def test_without_a_template_it_says_how_to_get_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = toy_model.pocket_dir()
    for file in whole.iterdir():
        if file.name != "chat_template.jinja":
            (tmp_path / file.name).symlink_to(file)
    monkeypatch.setattr(toy_model, "pocket_dir", lambda: tmp_path)
    with pytest.raises(ResourceError) as refused:
        toy_model.read_toy()
    assert refused.value.hint == INSTALL_AGAIN
