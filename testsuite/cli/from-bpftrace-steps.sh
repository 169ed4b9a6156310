# SPDX-License-Identifier: GPL-2.0-or-later
# --from-bpftrace: ++ and -- in front of what they count. A line of a translation ends without a sign, so the line above must not be
# what is counted.
. "$SUITE/lib.sh"
cat >steps.bt <<'END'
BEGIN
{
	$round = 0; $sum = 0; @left[1] = 10;
	while ($round < 4) {
		$sum += @left[1];
		--@left[1];
		printf("%d %d\n", $round, $sum);
		++$round;
		if ($round == 2) { ++@twos; }
	}
	$text = (uint32 *)arg0;
	++$text;
	exit();
}
END
expect 0 "$SPILE" --from-bpftrace steps.bt
cat out
says '^WARNING: 1 piece of steps\.bt has no translation: comments in the script say why$'
grep -v text steps.bt >run.bt
echo "== run"
expect 0 "$SPILE" run.bt
cat out
