"""Is the needed skill found: Lull's own retrieval beside others, on libraries of three sizes."""
