# SPDX-License-Identifier: GPL-2.0-or-later
# --diag=json: one object a line, for programs.
. "$SUITE/lib.sh"
printf 'probe begin {\n  println(nosuch(), "\\t")\n}\n' >x.stp
expect 1 "$SPILE" --diag=json x.stp
grep -vE '^\{.*\}$' err && fail "a line that is no object"
says '"tag": ?"E[0-9]{3}"'
says '"file": ?"x.stp"'
says '"line": ?2'
says '"severity": ?"error"'
command -v python3 >/dev/null || exit 0
python3 -c 'import json, sys
for line in open("err"): json.loads(line)' || fail "not JSON"
