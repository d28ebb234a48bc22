"""Names the fixed words that some settings have as values, such as "auto", in the user's language.

The settings file and the service keep the words; only what is shown differs.
"""

from __future__ import annotations

from lull.desktop.language.words import tr

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
