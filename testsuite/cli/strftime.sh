# SPDX-License-Identifier: GPL-2.0-or-later
# strftime() writes what date(1) writes, around leap days and years, before 1970, and in other time zones.
. "$SUITE/lib.sh"
format='%Y %y %m %b %d %e %j %H %I %M %S %p %a %u %w %s %F %D %T %R %z 100%%'
for zone in UTC EST5 IST-5:30; do
	calls=
	: >wanted
	for time in 0 -1 -86401 68169599 68169600 951782399 951868800 1709164800 1735603200 1767139200 4102444799 -2208988800; do
		TZ=$zone date -d "@$time" "+$format" >>wanted
		calls="$calls println(strftime(\"$format\", $time))"
	done
	expect 0 env TZ=$zone "$SPILE" -e "probe begin { $calls exit() }"
	diff wanted out || fail "$zone: date writes something else"
done
expect 0 "$SPILE" -e 'probe begin { println(strftime("", 0), "|", strftime("%q%", 0)) exit() }'
is '|q'
