#!/bin/sh
# shell.sh FLAG... - Chromium's headless shell with an empty page: chromedriver wants one, and the shell opens none.
exec chromium-headless-shell "$@" data:,
