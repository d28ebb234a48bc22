"""The user's changes to skills."""
