"""Makes backups of Lull's data folder, reads them and restores the folder from one, and notices at
the start that data was lost.
"""
