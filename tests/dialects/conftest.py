"""Examples are counted here, not timed: a busy machine is no finding."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None, max_examples=60)
settings.load_profile("untimed")
