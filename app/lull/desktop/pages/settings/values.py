"""Names the fixed words that some settings have as values, such as "auto", in the user's language.

The settings file and the service keep the words; only what is shown differs.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from lull.core.chat.model_name import canonical
from lull.desktop.language.words import plain, tr
from lull.desktop.widgets.chat.sample import OWN_MODELS

AUTO = "auto"
NONE = "none"
"""Words for a setting that names a model: the model that Lull chooses, and no model at all."""


def value_words(key: str, text: str) -> str:
    """Return what a text value of a setting means, in the user's language; a text that is no fixed
    word, such as a model's name, is returned unchanged.
    """
    if key.endswith(".model"):
        return {AUTO: tr("automatic"), NONE: tr("no model")}.get(text, text)
    words = {
        "training.serve": {
            AUTO: tr("automatic"),
            "engine": tr("Lull itself"),
            "ollama": tr("Ollama"),
        },
        "log.level": {
            "debug": tr("everything"),
            "info": tr("normal"),
            "warning": tr("warnings and errors"),
            "error": tr("errors only"),
        },
    }
    return words.get(key, {}).get(text, text)


def caution(key: str, value: object, *, models: Collection[str], elsewhere: bool) -> str:
    """Return what is probably wrong with an allowed value of a setting: it names a model or a
    folder that is not there; "" if nothing is.

    `models` are the names of the models on this computer; `elsewhere` says whether the setting's
    model runs on another server.
    """
    text = str(value)
    if key.endswith(".model") and models and not elsewhere and text not in ("", AUTO, NONE):
        known = {canonical(name) for name in (*models, *OWN_MODELS)}
        if canonical(text) not in known:
            return tr("There is no model called %1 on this computer.", plain(text))
    if key == "backup.folder" and text and not Path(text).is_dir():
        return tr("This folder doesn't exist. No backup is made until it does.")
    return ""
