# SPDX-License-Identifier: GPL-2.0-or-later
# The runner itself: a case that should fail does, with each kind of fault. A script stands in for the compiler: it obeys
# what it finds in the .stp file.
mkdir -p suite/testsuite/{parse,run,cli,fuzz,lint,unit} build
cp "$SUITE/runtests" suite/testsuite/
cd suite/testsuite || exit 1
cat >../../build/spile <<'S'
#!/bin/bash
for a; do case $a in *.stp) f=$a ;; esac; done
sed -n 's/^out //p' "$f"
sed -n 's/^err //p' "$f" >&2
exit "$(sed -n 's/^exit //p' "$f" | grep . || echo 0)"
S
chmod +x ../../build/spile
stp() { printf '%s\n' "${@:2}" >"$1.stp"; }
json() { printf 'err {"tag":"%s","severity":"error","file":"x","line":%d,"column":%d,"notes":[{"line":9,"column":9}]}' "$@"; }

stp parse/good 'out hello'; echo hello >parse/good.out
stp parse/differs 'out hello'; echo bye >parse/differs.out
stp parse/no-golden 'out hello'
stp parse/status 'out hello' 'exit 3'; echo hello >parse/status.out
stp parse/status-wanted '// status: 3' 'out hello' 'exit 3'; echo hello >parse/status-wanted.out
stp parse/noise 'out hello' 'err oops'; echo hello >parse/noise.out
stp parse/filtered '// filter: s/[0-9]+/N/' 'out pid 77'; echo 'pid N' >parse/filtered.out
stp parse/err.E101.good 'x y' '//^ E101' "$(json E101 1 3)" 'exit 1'
stp parse/err.E101.first 'x y' '//< E101' "$(json E101 1 1)" 'exit 1'
stp parse/err.E101.anywhere "$(json E101 7 7)" 'exit 1'
stp parse/err.E101.place 'x y' '//^ E101' "$(json E101 1 2)" 'exit 1'
stp parse/err.E101.tag 'x y' '//^ E101' "$(json E102 1 3)" 'exit 1'
stp parse/err.E101.more 'x y' '//^ E101' "$(json E101 1 3)" "$(json E102 1 3)" 'exit 1'
stp parse/err.E101.none 'x y' '//^ E101' 'exit 1'
stp parse/err.E101.status 'x y' '//^ E101' "$(json E101 1 3)" 'exit 5'
stp parse/err.E101.name 'x y' '//^ E102' "$(json E102 1 3)" 'exit 1'
echo 'exit 0' >cli/good.sh
echo 'exit 0' >lint/good.sh
echo 'echo found' >lint/found.sh
echo 'exit 4' >cli/bad.sh
echo 'echo no network; exit 77' >cli/skipped.sh
echo 'echo out' >cli/differs.sh; echo other >cli/differs.out
: >unit/test_missing.c

./runtests --build ../../build >"$TMP/lines"
status=$?
sed -n 's/^\(ok\|FAIL\|skip\)  */\1 /p; /passed/p' "$TMP/lines" | sort >"$TMP/actual"
sort >"$TMP/expected" <<'X'
ok parse/good
FAIL parse/differs
FAIL parse/no-golden
FAIL parse/status
ok parse/status-wanted
FAIL parse/noise
ok parse/filtered
ok parse/err.E101.good
ok parse/err.E101.first
ok parse/err.E101.anywhere
FAIL parse/err.E101.place
FAIL parse/err.E101.tag
FAIL parse/err.E101.more
FAIL parse/err.E101.none
FAIL parse/err.E101.status
FAIL parse/err.E101.name
ok cli/good
FAIL cli/bad
skip cli/skipped: no network
FAIL cli/differs
ok lint/good
FAIL lint/found
FAIL unit/test_missing
8 passed, 14 failed, 1 skipped
X
diff -u "$TMP/expected" "$TMP/actual" || exit 1
[ $status = 1 ] || { echo "exit status $status"; exit 1; }

./runtests --build ../../build --accept parse/differs parse/no-golden >/dev/null || { echo "--accept failed"; exit 1; }
./runtests --build ../../build parse/differs parse/no-golden | grep -qx '2 passed, 0 failed, 0 skipped' ||
	{ echo "what --accept wrote does not pass"; exit 1; }

# --again: one that fails but passes alone has passed, and both are said; what fails twice has failed.
echo '[ -e ../../once ] || { touch ../../once; echo "not now"; exit 1; }' >cli/once.sh
sed -i "s,\.\./\.\./once,$TMP/once,g" cli/once.sh
./runtests --again --build ../../build cli/once cli/bad >"$TMP/lines"
[ $? = 1 ] || { echo "exit status of --again"; exit 1; }
diff -u - <(sed 's/  *$//' "$TMP/lines" | LC_ALL=C sort) <<'X' || exit 1
        exit status 1
        exit status 4
        exit status 4
        not now
1 passed, 1 failed, 0 skipped
FAIL  cli/bad
again cli/bad
again cli/once
ok    cli/once
X
