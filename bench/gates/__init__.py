"""How often a useless, a harmful and a good skill is accepted: our proof beside peers' rules."""
