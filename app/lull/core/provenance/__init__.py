"""The authors of a text's words, and screening before a text is trusted."""
