"""Idle detection and scheduling: when Lull may use the user's models for its own work."""
