# SPDX-License-Identifier: GPL-2.0-or-later
# libtool cannot install into a folder with a blank in its name: that is told before anything is installed.
. "$SUITE/lib.sh"
expect 2 make -C "$BUILD" -n install DESTDIR="$TMP/in here"
says 'make install: libtool takes no DESTDIR with a blank: install elsewhere, and move it'
