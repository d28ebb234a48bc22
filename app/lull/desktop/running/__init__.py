"""The questions before closing the window or quitting stops Lull's service."""
