# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through tracepoints.
ENGINE=kernel . "$SUITE/cli/events.sh"
