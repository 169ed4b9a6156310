# SPDX-License-Identifier: GPL-2.0-or-later
# The programs and libraries are installed into a folder with a blank in its name, and run from there.
. "$SUITE/lib.sh"
to="$TMP/in here"
expect 0 make -s -C "$BUILD" install-binPROGRAMS install-shlibPROGRAMS install-modulePROGRAMS install-data-hook DESTDIR="$to" prefix=/p libdir=/p/lib
cp "$to/p/lib/libspile.so" "$to/p/lib/spile/spile-gen.so" "$to/p/bin" && mv "$to/p/bin/libspile.so" "$to/p/bin/libspile.so.0" || exit 1
expect 0 env SPILE_TAPSET="$TOP/tapsets" "$to/p/bin/spile" -p4 -o x.spo -e 'probe begin { println("installed") exit() }'
expect 0 "$to/p/bin/spile-run" x.spo
is installed
# Programs find the libraries by their names, whatever the programs are called.
expect 0 make -s -C "$BUILD" install-shlibPROGRAMS install-modulePROGRAMS program_transform_name='s,^,x-,' DESTDIR="$TMP/named" prefix=/p libdir=/p/lib
[ "$(cd "$TMP/named/p/lib" && echo * spile/*)" = "libspile.so.0 libspilert.so.0 spile spile/spile-gen.so" ] || fail "the libraries have other names"
