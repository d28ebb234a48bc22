"""The tray and the dashboard: a process of its own that shows the service and asks it.

Everything it knows comes over the control socket into one `AppState`; widgets read that and never
the network. Only contract, core and Qt are imported here.
"""
