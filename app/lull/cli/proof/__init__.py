"""Commands that test skills: `lull prove`, `lull verify` and `lull review compare`."""
