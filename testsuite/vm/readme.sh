# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of README.md that need a kernel of one's own.
. "$SUITE/lib.sh"
awk '/^<!-- example-vm: / { armed = 1; n++; next }
     /^```stp/ && armed { inside = 1; next }
     /^```/ && inside { inside = armed = 0; next }
     inside { print > ("example." n ".stp") }' "$TOP/README.md"
(while :; do head -c 8191 /dev/zero >/dev/null; sleep 0.1; done) &
trap "kill $!" EXIT
for example in example.*.stp; do
	expect 0 "$SPILE" - <"$example"
	prints '^ksys_read\([0-9]+\): [0-9]+, [0-9]+$'
done
