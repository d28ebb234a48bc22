"""The service: a process that answers chat clients as a proxy, runs Lull's background work, and
answers the command line and the desktop app over a control socket.
"""
