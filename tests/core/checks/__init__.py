"""Each check of the catalogue, and how a rule in plain words becomes one."""
