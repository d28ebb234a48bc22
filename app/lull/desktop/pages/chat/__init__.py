"""Widgets and dialogs of the Conversations page, where the user reads, rates and deletes chats."""
