# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the libraries do not call: those that cannot be bounded, and those that end the process.
cd "$BUILD" || exit 1
[ -e libsp_rt.a ] || { echo "no libraries in $BUILD"; exit 1; }
for lib in libsp_*.a; do
	[ "$lib" != libsp_base.a ] || continue
	nm -u -A "$lib" 2>/dev/null | grep -E ' U (strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|strtok|exit|abort|longjmp|siglongjmp)$' &&
		bad=1
done
exit ${bad:-0}
