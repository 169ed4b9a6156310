# SPDX-License-Identifier: GPL-2.0-or-later
# What the compiler looks at is noted (compiler/cache/look.h). So it calls no function of libc that looks at files or at the environment
# but those that the linker sends to look_wrap.c (look_functions in Makefile.am), and those here, each for a reason.
cd "$BUILD" || exit 1
grep -qE '^SP_CFLAGS = .*(fsanitize|coverage)' Makefile && { echo "the build is instrumented"; exit 77; }
cat >"$TMP/allowed" <<'E'
fstat: of a file that is open
fstatat: cache
readlinkat: of a link that is open
linkat: cache
mkdirat: cache
unlinkat: of a file that is written
renameat: of a file that is written
unlink: of a temporary file
mkstemp: of a temporary file
tmpfile: of a temporary file
mkdir: of a temporary folder
nftw: of a temporary folder
fdopendir: of a folder that is open
fstatfs: cache
statfs: cache
syscall: files of a process, which are an obstacle; a mount of tracefs; capget
memfd_create: makes a file
dl_iterate_phdr: cache
getcwd: cache
getgroups: cache
utimensat: cache
E
tr -s ' \t\\' '\n' <"$TOP/Makefile.am" | sed -n '/^look_functions$/,/^look_flags$/p' >"$TMP/wrapped"
nm -D -u libspile.so.0 | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >"$TMP/called"
families='open|creat|fopen|freopen|stat|lstat|fstat|xstat|fxstat|lxstat|statx|access|faccess|eaccess|euidaccess|readlink|realpath|canonicalize'
families="$families|opendir|fdopendir|scandir|glob|wordexp|ftw|nftw|fts_|gzopen|gzdopen|mkstemp|mkostemp|tmpfile|tmpnam|mkdir|unlink|link|rename"
families="$families|symlink|getenv|secure_getenv|getcwd|get_current|posix_spawn|exec|fork|vfork|system|popen|dlmopen|dl_iterate|statfs|statvfs"
families="$families|fstatfs|fstatvfs|getmntent|setmntent|syscall|memfd|utime|getpw|getgr|gethost|name_to_handle"
grep -E "^_*($families)[a-z0-9_]*\$" "$TMP/called" | grep -vE '^posix_spawn_file_actions_|^globfree$' >"$TMP/looks"
[ "$(wc -l <"$TMP/looks")" -gt 20 ] || { echo "nothing looks at files in $BUILD/libspile.so.0"; exit 1; }
sed 's/:.*//' "$TMP/allowed" | cat - "$TMP/wrapped" | sort -u | comm -13 - <(sort -u "$TMP/looks") |
	sed 's,$, is called by the compiler\, and is not noted: see compiler/cache/look_wrap.c,' >"$TMP/bad"
# Those of cache/ alone.
find compiler runtime/base -name '*.o' ! -name 'spile_run-*' | xargs nm -A -u >"$TMP/undefined"
for name in $(sed -n 's/: cache$//p' "$TMP/allowed"); do
	awk -v name="$name" '$NF == name { sub(/\.o:.*/, ""); print }' "$TMP/undefined" |
		grep -vE 'compiler/cache/|compiler/gen/|compiler/cli/|base/.*file$' | sed "s,\$, calls $name\, which compiler/cache alone may," >>"$TMP/bad"
done
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
