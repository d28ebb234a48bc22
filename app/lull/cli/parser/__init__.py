"""Arguments and help texts of the `lull` command line, one module per group of commands."""
