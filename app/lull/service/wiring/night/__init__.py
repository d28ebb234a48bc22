"""Builds what works while the user is away: scheduler, training, adapters and weights."""
