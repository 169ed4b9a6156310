# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of spile-pack(1) run: each line of those behind `.\" example:`.
. "$SUITE/lib.sh"
grep -q SODIUM_SONAME "$BUILD/Makefile" || skip "built without libsodium"
command -v minisign >/dev/null || skip "minisign is not installed"
awk '/^\.\\" example:/ { named = 1; next }
     /^\.Bd / && named { inside = 1; named = 0; next }
     /^\.Ed/ { inside = 0 }
     inside { gsub(/\\e/, "\\"); print }' "$TOP/compiler/cli/spile-pack.1" >example
[ "$(wc -l <example)" -ge 5 ] || fail "no examples"
spile() { "$SPILE" "$@"; }
spile-run() { "$SPILE_RUN" "$@"; }
set -e
(. ./example) >out 2>err || fail "exit status $?"
quiet
prints '^hello\.spo is signed: version 7$'
prints '^hello$'
