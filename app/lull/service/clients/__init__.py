"""The chat clients of this machine, for the window: how they stand, connecting and undoing."""
