# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing unfinished, and nothing of the machine it was written on.
cd "$TOP" || exit 1
dirs="compiler runtime tapsets testsuite examples bench m4/sp_*.m4 configure.ac Makefile.am README.md CONTRIBUTING.md SECURITY.md quickstart .ci"
grep -rnIE '\<(TODO|FIXME|XXX|HACK)\>|[^a-zA-Z0-9_.](/home|/root|/farm|/work)/|\.debian\.org' $dirs \
	--exclude=words.sh --exclude-dir=corpus && exit 1
exit 0
