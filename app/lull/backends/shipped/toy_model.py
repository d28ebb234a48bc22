"""The toy model, `pocket`, which knows only an invented language for fast tests: describes it from
the files that ship with Lull.
"""

from __future__ import annotations

from typing import Final

from lull.backends.mlx.local_facts import read_local_model
from lull.core.chat.messages import Sampling
from lull.core.errors import ResourceError
from lull.core.models.local_model import LocalModel
from lull.resources import INSTALL_AGAIN, pocket_dir

NAME: Final = "pocket"


def read_toy() -> LocalModel:
    """Read the properties (such as context window and chat template) of the toy model, which knows
    only an invented language for tests, from its files. Blocking. Raises ResourceError.
    """
    folder = pocket_dir()
    try:
        # Its toy language has one right answer, so it is decoded greedily by default.
        model = read_local_model(NAME, folder, sampling=Sampling(temperature=0.0))
    except ResourceError as error:
        raise ResourceError(error.detail, hint=INSTALL_AGAIN) from error
    if not model.template:
        raise ResourceError(f"There is no chat_template.jinja in {folder}.", hint=INSTALL_AGAIN)
    return model
