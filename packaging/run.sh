#!/bin/sh
# What `make run` starts: tray and window where there is a display, else the service in this
# terminal. Words go to `lull serve`: who gives some wants the service.
set -eu
cd -- "$(dirname -- "$0")/.."

has_display() { [ "$(uname)" = Darwin ] || [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; }
# Qt aborts where a display does not answer, and a shell says so: both are kept quiet.
opens() {
    [ "$(uname)" = Darwin ] || sh -c '"$@"; exit $?' sh .venv/bin/python -c \
        'from PySide6.QtWidgets import QApplication; QApplication([])' >/dev/null 2>&1
}

if [ $# -gt 0 ]; then
    :
elif ! has_display; then
    echo 'There is no display here, so Lull runs in this terminal without a window.' >&2
elif opens; then
    echo 'Opening Lull; its icon is in the tray. Ctrl-C here quits it.' >&2
    exec .venv/bin/lull
elif [ -n "$(sh packaging/system-packages.sh --line run)" ]; then
    echo 'The window needs the system packages named above, so Lull runs in this terminal.' >&2
else
    echo "The display ${WAYLAND_DISPLAY:-$DISPLAY} does not answer, so Lull runs in this terminal." >&2
fi
exec .venv/bin/lull serve "$@"
