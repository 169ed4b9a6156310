# SPDX-License-Identifier: GPL-2.0-or-later
# -w silences warnings, -W makes them errors.
. "$SUITE/lib.sh"
script='global unused probe begin { x = 1 exit() }'
expect 0 "$SPILE" -e "$script"
says "^WARNING: eliding unused variable 'x' \[W205\]$"
says "^WARNING: eliding unused variable 'unused' \[W202\]$"
expect 0 "$SPILE" -w -e "$script"
quiet
expect 1 "$SPILE" -W -e "$script"
says "^error: eliding unused variable 'x' \[W205\]$"
