"""The desktop app: a tray icon and a dashboard window, in a process separate from Lull's service.

All data comes over the service's control socket into one `AppState`, which the widgets read. Of
Lull's other packages only `contract` and `core` are imported here.
"""
