#!/bin/sh
# What `make run` starts: tray and window where there is a display, else the service in this
# terminal. Words go to `lull serve`: who gives some wants the service.
set -eu
cd -- "$(dirname -- "$0")/.."

has_display() { [ "$(uname)" = Darwin ] || [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; }
# Qt aborts where a display does not answer, waits for ever where one takes calls and keeps silent,
# and a shell says so: all of it is kept quiet.
opens() {
    [ "$(uname)" = Darwin ] || sh -c '"$@"; exit $?' sh timeout -k 1 "${LULL_DISPLAY_WAIT_S:-60}" \
        .venv/bin/python -c 'from PySide6.QtWidgets import QApplication; QApplication([])' >/dev/null 2>&1
}

here='so Lull runs in this terminal. It starts in some seconds.'
if [ $# -gt 0 ]; then
    case " $* " in *' --help '* | *' -h '*) ;; *) echo 'Starting Lull in this terminal.' >&2 ;; esac
elif ! has_display; then
    echo "There is no display here, $here" >&2
else
    echo 'Opening Lull, with an icon in the tray where there is one. Ctrl-C here quits it.' >&2
    if opens; then exec .venv/bin/lull; fi
    if [ -n "$(sh packaging/system-packages.sh --line run)" ]; then
        echo "The window needs the system packages named above, $here" >&2
    else
        echo "The display ${WAYLAND_DISPLAY:-$DISPLAY} does not answer, $here" >&2
    fi
fi
exec .venv/bin/lull serve "$@"
