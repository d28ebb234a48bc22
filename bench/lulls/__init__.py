"""How much of a simulated year's idle time is used, and whether anybody is ever disturbed."""
