"""Domain types and rules, on the standard library alone: no I/O, no async, no clock."""
