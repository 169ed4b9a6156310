# SPDX-License-Identifier: GPL-2.0-or-later
# A run-time error has the same text when it is caught, where the compiler makes it, and when it ends the script, where the
# runtime makes it and says the place behind it. Every row of runtime/abi/error.def has a line here, but for those that a begin handler cannot catch:
# MAXACTION, NO_KERNEL, NO_COUNTER, RESULT, VERDICT and ZERO.
check()
{
	local code=$1 statement=$2 caught ended place
	caught=$("$SPILE" -g -e "global a[1], s, z; function f(n) { return f(n + 1) + 1 }
probe begin { try { $statement } catch (why) { println(why) } if (z) { s <<< 1; s <<< z } exit() }" 2>err) || cat err
	caught=${caught%%$'\n'*}
	"$SPILE" -g -e "global a[1], s, z; function f(n) { return f(n + 1) + 1 }
probe begin {       $statement   if (z) { s <<< 1; s <<< z } exit() }" >/dev/null 2>err
	ended=$(sed -n 's/^ERROR: //p' err)
	ended=${ended% (probe begin*}
	place=${ended#"$caught"}
	if [ "$caught$place" = "$ended" ] && [[ $place =~ ^( near [^ ]+ [^ ]+ at [^ ]+:[12]:[0-9]+)?$ ]] && [ -n "$caught" ]; then
		echo "$code: $caught$place"
	else
		echo "$code is caught as \"$caught\" and told as \"$ended\""
	fi
}
check USER 'error("my own words")'
check DIVISION 'println(1 / z)'
check READ_FAULT 'println(@uderef(8, 8))'
check WRITE_FAULT '@uderef(4, 8) = 1'
check MAP_FULL '{ a[1] = 1; a[2] = 1 }'
check NESTING 'println(f(1))'
check STAT_EMPTY 'if (@avg(s)) next'
check HIST_INDEX '{ s <<< 1 println(@hist_log(s)[999]) }'
check NO_MATCH 'if ("abc" !~ "x") println(matched(0))'
check NO_GROUP 'if ("abc" =~ "b") println(matched(z + 1))'
codes=$(grep -c '^SP_ERROR' "$TOP/runtime/abi/error.def")
[ "$codes" = 16 ] || echo "error.def has $codes rows: add the new one here"
