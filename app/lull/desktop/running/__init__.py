"""What keeps Lull's service usable: a free port for it, and questions to the user before closing
the window or quitting stops it.
"""
