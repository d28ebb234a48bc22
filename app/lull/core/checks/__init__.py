"""What an answer must look like, told by exact programs: the catalogue of checks, and how a rule
in plain words becomes one of them."""
