"""What all jobs of the service are built from: the opened data, the models that ship with Lull, the
memory of past requests, and the parts that the jobs share.
"""
