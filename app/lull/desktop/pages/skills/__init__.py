"""The Skills page: the skills (short texts that Lull adds to prompts), and its dialogs."""
