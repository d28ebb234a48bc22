"""Starts what the command line asks of the service's code: the service with its control API and its
network token, the process that stands in for a service that died, or deleting a conversation while
no service runs. Nothing else of the service imports from here.
"""
