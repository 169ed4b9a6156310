# SPDX-License-Identifier: GPL-2.0-or-later
# The library's switches for scripts that keep a hole shut: files that set them, counts for Prometheus, seconds of rest.
. "$SUITE/lib.sh"
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
mkdir run
chmod 700 run
export XDG_RUNTIME_DIR=$TMP/run
cat >hole.stp <<'S'
global depth = 7
@cve_probe_procfs_parameter(depth, "depth")
probe timer.ms(10) if (cve_enabled_p)
{
	cve_count_metric("hit")
	cve_record_metric("depth", depth)
	if (cve_fix_p)
		depth = 1
}
S
"$SPILE" --engine=user -G cve_fix_p=0 -m hole hole.stp >out 2>err &
spile=$!
file=$TMP/run/spile/hole
holds() { timeout 20 grep -qx "$1" "$file/$2"; }
wait_for 20 holds 'cve_metrics{name="hit"} [1-9][0-9]*' prometheus
holds 'cve_metrics{name="enabled"} 1' prometheus || fail "$(cat "$file/prometheus")"
holds 'cve_metrics{name="depth"} 7' prometheus || fail "$(cat "$file/prometheus")"
echo 5 >"$file/depth"
holds 5 depth || fail "depth is $(cat "$file/depth")"
echo 1 >"$file/cve_fix_p"
wait_for 20 holds 1 depth
echo 1000 >"$file/cve_tmpdisabled_s"
holds 0 cve_enabled_p || fail "it is enabled"
wait_for 20 holds 99[0-9] cve_tmpdisabled_s
echo 1 >"$file/cve_tmpdisabled_s"
wait_for 20 holds 1 cve_enabled_p
kill -INT $spile
wait $spile || fail "exit status $?: $(cat err)"
is "spile_$spile mitigation loaded
spile_$spile mitigation unloaded"
