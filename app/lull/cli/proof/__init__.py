"""Commands of `lull prove`, `verify` and `review compare`."""
