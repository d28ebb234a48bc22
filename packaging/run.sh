#!/bin/sh
# What `make run` starts: tray and window where there is a display, else the service in this
# terminal. Words go to `lull serve`: who gives some wants the service.
set -eu
cd -- "$(dirname -- "$0")/.."

if [ $# -eq 0 ]; then
    if [ "$(uname)" = Darwin ] || [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
        echo 'Opening Lull; its icon is in the tray. Ctrl-C here quits it.' >&2
        exec .venv/bin/lull
    fi
    echo 'There is no display here, so Lull runs in this terminal without a window.' >&2
fi
exec .venv/bin/lull serve "$@"
