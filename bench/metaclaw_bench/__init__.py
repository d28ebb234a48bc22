"""A benchmark of days in a workspace, for any model: with and without Lull between."""
