"""Makes backups of Lull's data on a schedule and on request, and checks that there are recent
ones.
"""
