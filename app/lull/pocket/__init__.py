"""Defines the toy language of Lull's tiny built-in model, in which a request such as "write a menu
for apple stone" has one right answer, and parses, draws and checks texts in it.

It lets all of Lull be tested in seconds on any machine. Only the service wiring and the demo import
this package; they pass its parts on as ports.
"""
