"""The learning page: its charts and what they say."""
