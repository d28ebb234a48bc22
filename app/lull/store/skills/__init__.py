"""The skill library: its tables and its folders."""
