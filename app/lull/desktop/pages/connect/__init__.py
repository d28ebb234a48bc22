"""Pointing the chat clients of this machine at Lull, and back."""
