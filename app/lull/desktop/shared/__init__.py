"""Cards, dialogs, data readers and texts that several pages of the window share; nothing here
imports a page.
"""
