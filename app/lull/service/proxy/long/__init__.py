"""Long request bodies, which a process of their own reads."""
