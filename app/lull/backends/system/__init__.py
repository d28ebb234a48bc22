"""The machine's clock, disk and keychain."""
