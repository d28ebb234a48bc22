#!/bin/sh
# What `make run` starts: tray and window where there is a display, else the service in this
# terminal. Words go to `lull serve`: who gives some wants the service.
set -eu
cd -- "$(dirname -- "$0")/.."

has_display() { [ "$(uname)" = Darwin ] || [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; }

if [ $# -gt 0 ]; then
    :
elif ! has_display; then
    echo 'There is no display here, so Lull runs in this terminal without a window.' >&2
elif [ -n "$(sh packaging/system-packages.sh --line run)" ] &&
    ! .venv/bin/python -c 'from PySide6.QtWidgets import QApplication; QApplication([])' 2>/dev/null; then
    echo 'The window needs the system packages named above, so Lull runs in this terminal.' >&2
else
    echo 'Opening Lull; its icon is in the tray. Ctrl-C here quits it.' >&2
    exec .venv/bin/lull
fi
exec .venv/bin/lull serve "$@"
