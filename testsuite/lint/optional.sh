# SPDX-License-Identifier: GPL-2.0-or-later
# What configure looks for and is installed is used: a build that loses one of these libraries says so nowhere else.
cd "$BUILD" || exit 1
command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 77; }
for library in fuse3:FUSE libisal:ISAL libsodium:SODIUM; do
	if pkg-config --exists "${library%:*}" && ! grep -q "^DEFS = .*-D${library#*:}_SONAME=" Makefile; then
		echo "${library%:*} is installed, and $BUILD is built without it"
		bad=1
	fi
done
exit ${bad:-0}
