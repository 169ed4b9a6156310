# SPDX-License-Identifier: GPL-2.0-or-later
# The systemd unit is one that systemd takes, with nothing to remark.
. "$SUITE/lib.sh"
command -v systemd-analyze >/dev/null || skip "systemd-analyze is not installed"
sed "s,/usr/bin/spile-run,$SPILE_RUN," "$TOP/packaging/systemd/spile@.service" >spile@name.service
expect 0 systemd-analyze verify --man=no "$PWD/spile@name.service"
quiet
