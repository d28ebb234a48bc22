"""Access to the machine's clock, disk and keychain."""
