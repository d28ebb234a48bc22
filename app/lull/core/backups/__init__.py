"""What belongs in a backup of Lull's data, and when backups are made and deleted."""
