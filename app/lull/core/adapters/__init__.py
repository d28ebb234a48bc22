"""Adapters: their states, the gate before release, canaries, and the rollback after release."""
