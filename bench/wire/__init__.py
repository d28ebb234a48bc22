"""What Lull adds to a request, compared with a minimal proxy on the same machine in the same
run.
"""
