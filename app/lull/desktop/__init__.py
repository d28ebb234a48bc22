"""The tray icon and the dashboard, in a process of their own that talks to the service.

All data comes over the control socket into one `AppState`, which the widgets read. Only contract,
core and Qt are imported here.
"""
