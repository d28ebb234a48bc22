"""Files and folders that withstand power cuts, killed processes and cancelled tasks, and in whose
place others may have put something else.
"""
