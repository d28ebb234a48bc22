"""The Skills page: the skills (instruction texts), and its dialogs."""
