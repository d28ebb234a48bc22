"""The families of workplace conventions; each function draws one rule of its family at random.

Each family owns fields of Style that no other touches; that is why a set may hold any of them.
"""

import random
from collections.abc import Callable

from bench.private_rules.conventions.documents import closing, header, letters, results
from bench.private_rules.conventions.files import backup, naming, worklog
from bench.private_rules.conventions.records import ids, money, people, stamps, units
from bench.private_rules.conventions.tables import scripts, tables
from bench.private_rules.rule import Rule

FAMILIES: dict[str, Callable[[random.Random], Rule]] = {
    "naming": naming,
    "stamps": stamps,
    "money": money,
    "units": units,
    "people": people,
    "ids": ids,
    "header": header,
    "closing": closing,
    "letters": letters,
    "results": results,
    "tables": tables,
    "scripts": scripts,
    "backup": backup,
    "worklog": worklog,
}
