"""Trains and measures the adapter that makes the small built-in model keep rules.

The whole way is one command; it goes on where it was cut off (`bench/english/make.py`):

    python -m bench.english.make --work DIR

Its four stages, each by itself: the model's own answers to our questions (`own_answers.py`), the
lessons made of them (`build.py`), the training (`training/teach.py`, in PyTorch, by processes that
share each step, `training/team.py`), the measurement on an exam that somebody else wrote
(`measure.py`); `card.py` then ships it. Nobody else's text or model takes part.

    python -m bench english --cases FILE --json

answers cases from outside through a real service; FILE holds lines of `{"rules": ["…"], "system":
"", "request": "…"}`, and each gives a line of `{"answer": "…"}`.
"""
