"""The Review page, on which the user approves or rejects proposed skills, and its dialogs."""
