"""How often a useless, a harmful and a good skill is accepted by Lull's proof and by other
projects' rules.
"""
