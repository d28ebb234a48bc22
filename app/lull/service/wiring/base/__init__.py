"""What all jobs of the service are built from: the opened data, the models that ship with Lull, and
the parts that the jobs share.
"""
