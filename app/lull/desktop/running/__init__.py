"""The dialogs that ask the user before closing the window or quitting stops Lull's service."""
