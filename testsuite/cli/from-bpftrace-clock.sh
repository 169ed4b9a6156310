# SPDX-License-Identifier: GPL-2.0-or-later
# --from-bpftrace: nsecs counts from when the machine began, as the kernel's own times do, and strftime() gives the time of day of it.
. "$SUITE/lib.sh"
cat >clock.bt <<'END'
BEGIN
{
	printf("%lld\n", nsecs / 1000000000);
	printf("%lld\n", nsecs(tai) / 1000000000);
	printf("%s\n", strftime("%Y", nsecs));
	$at = nsecs(boot) - 1000;
	printf("%s\n", strftime("%Y", $at));
	printf("%d\n", elapsed < 60000000000);
	exit();
}
END
expect 0 "$SPILE" --from-bpftrace clock.bt
grep -E 'ktime|day' out
expect 0 "$SPILE" clock.bt
mapfile -t said <out
read -r up _ </proc/uptime
((said[0] <= ${up%.*} + 1 && said[0] >= 0)) || fail "nsecs is not the time that the machine runs: ${said[0]}, not $up"
((said[1] - $(date +%s) < 5 && $(date +%s) - said[1] < 60)) || fail "nsecs(tai): ${said[1]}"
for n in 2 3; do [[ ${said[n]} == "$(date +%Y)" ]] || fail "strftime: ${said[n]}"; done
echo "elapsed: ${said[4]}"
