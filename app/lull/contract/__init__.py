"""What Lull's processes say to each other: the control API's routes, and the frames between the
service and the inference engine.
"""
