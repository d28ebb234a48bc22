"""Parts of a chart: its axes' labels, the widget in which it is drawn, and its legend."""
