"""The Conversations page."""
