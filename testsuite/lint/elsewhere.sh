# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries that are in a folder of their own, which pkg-config names by -L, do not stop any program's build.
cd "$BUILD" || exit 1
out=$(make -n all check-programs LIBBPF_LIBS='-L/elsewhere -lbpf' LIBELF_LIBS='-L/elsewhere -lelf' LIBDW_LIBS='-L/elsewhere -ldw' \
	ZLIB_LIBS='-L/elsewhere -lz' READLINE_LIBS='-L/elsewhere -lreadline' 2>&1) || { echo "$out" | grep '\*\*\*'; exit 1; }
