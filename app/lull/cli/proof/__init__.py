"""Commands that test whether a skill (a rule for prompts) helps: `lull prove`, `lull verify` and
`lull review compare`.
"""
