# SPDX-License-Identifier: GPL-2.0-or-later
# A file has at most 1,000 lines; rows of a .def file are data.
cd "$TOP" || exit 1
find compiler runtime testsuite bench -name '*.[ch]' | xargs wc -l |
	awk '$2 != "total" && $1 > 1000 { print $2 " has " $1 " lines"; bad = 1 } END { exit bad }'
