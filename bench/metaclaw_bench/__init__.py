"""A benchmark of working days in a file workspace, for any model, with and without Lull."""
