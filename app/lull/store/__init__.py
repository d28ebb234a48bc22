"""Everything that Lull keeps: tables in one SQLite database, and the folders of skills, adapters
and backups.
"""
