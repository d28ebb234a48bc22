"""Commands that test whether a skill (an instruction text) helps: `lull prove`, `lull verify` and
`lull review compare`.
"""
