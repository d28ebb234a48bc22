"""The reader: how it is taught to hear plain language, and how well it does with strangers."""
