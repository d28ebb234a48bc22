"""What the window shows of tests of proposed skills that are under way."""
