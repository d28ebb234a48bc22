"""Classifier of request kinds: its training sentences, its training, and its benchmark."""
