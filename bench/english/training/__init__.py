"""The training of the adapter itself, by processes that share each step."""
