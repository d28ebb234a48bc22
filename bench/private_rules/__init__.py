"""Rule sets that nothing was tuned to: workplace conventions, files and requests drawn from a seed.

`python -m bench.private_rules --seed N --out DIR` writes one in the shape of MetaClaw-Bench.
"""

from bench.private_rules.rule import Phrasing, Rule, Task
from bench.private_rules.rule_set import Day, Request, RuleSet, rule_set

__all__ = ["Day", "Phrasing", "Request", "Rule", "RuleSet", "Task", "rule_set"]
