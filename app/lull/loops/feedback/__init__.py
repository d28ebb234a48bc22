"""Turns user feedback and other signals into rewards and standing wishes."""
