"""Defines the arguments and help texts of `lull backup` and `lull restore`."""

from __future__ import annotations

from lull.cli.parser.base import Commands, add_command, named

BACKUP = """\
Conversations, skills, adapters, training runs, the trash and the settings, in a zip that only
you can read: it holds what you said, in the clear. Works beside a running service and without
one. It is unpacked and opened as a test before the command succeeds. No password is in it.
Automatic backups: `lull settings set backup.every_days 7`."""
RESTORE = """\
Stop the service first. Without --yes this only checks the file and says what is in it. What is
there now is moved to a folder of its own, before-restore-N, and --undo brings it back.
Restore only files that you trust: skills in them count as approved."""


def backup_commands(commands: Commands) -> None:
    """Add the commands `lull backup` and `lull restore` to the parser."""
    backup = add_command(commands, "backup", "save all of Lull's data in one file", BACKUP)
    backup.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=named,
        help="the file, or a folder for it (default: backup.folder, or backups/ in the home)",
    )
    restore = add_command(commands, "restore", "restore Lull's data from a backup", RESTORE)
    restore.add_argument("file", metavar="FILE", nargs="?", type=named)
    restore.add_argument(
        "--undo", action="store_true", help="restore the data from before the last restore"
    )
    restore.add_argument(
        "--yes", action="store_true", help="restore; without this, only show what would happen"
    )
