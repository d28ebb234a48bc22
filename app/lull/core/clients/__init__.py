"""Chat client programs on this machine: where their configuration files lie and how they are edited
so that the client uses Lull's proxy.
"""
