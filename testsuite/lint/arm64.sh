# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run is built for aarch64, too: its sources are right with that processor's headers.
cd "$TOP" || exit 1
headers=/usr/aarch64-linux-gnu/include
[ -e $headers/sys/user.h ] || { echo "aarch64's headers are not installed (Debian: libc6-dev-arm64-cross)"; exit 77; }
clang=$(command -v clang-19 clang-16 clang-15 clang | head -n 1)
[ "$clang" ] || { echo "clang is not installed"; exit 77; }
find runtime -name '*.c' | sort | xargs -n 16 -P "$(nproc)" "$clang" --target=aarch64-linux-gnu -std=gnu11 -Wall -Wextra -Werror -fsyntax-only \
	-nostdlibinc -isystem $headers -idirafter /usr/include -I. -I"$BUILD" -DFUSE_SONAME='""'
