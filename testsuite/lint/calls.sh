# SPDX-License-Identifier: GPL-2.0-or-later
# The calls of every object against floors.table: a header that arrives through another one does not show in the #include
# lines, but what is called does. A function belongs to the folder that defines it, those of the libraries' interfaces
# (spile_*, spilert_*) to the folder of the public header. A row that names a whole folder may call all of it; one that
# names a header may call what that header declares.
cd "$TOP" || exit 1
find compiler runtime -name '*.c' >"$TMP/sources"
(cd "$BUILD" && find compiler runtime -name '*.o' ! -name 'spile_run-*' | xargs nm -gA) | # PATH/LIBRARY_a-NAME.o:ADDRESS TYPE SYMBOL
	sed -E 's,/([^/:]*_(a|so)-|spile-)?([^/:]*)\.o:[0-9a-f]*,/\3.c,' >"$TMP/symbols"
[ "$(grep -c ' T ' "$TMP/symbols")" -gt 100 ] || { echo "no objects in $BUILD"; exit 1; }
awk '
	function folder_of(path) {
		sub(/[^\/]*$/, "", path)
		return path
	}
	# Is the symbol declared in the header?
	function declares(header, symbol,    line, n, i, word) {
		if (!(header in was_read)) {
			was_read[header] = 1
			while ((getline line < header) > 0) {
				if (line ~ /^ *(\/\*|\*)/) # a comment
					continue
				sub(/\/\/.*/, "", line)
				n = split(line, word, /[^A-Za-z0-9_]+/)
				for (i = 1; i <= n; i++)
					named[header, word[i]] = 1
			}
		}
		return (header, symbol) in named
	}
	function row_of(path,    r) {
		for (r = 1; r <= n_rows && index(path, row[r]) != 1; r++)
			;
		return r
	}
	function allowed(path, owner, symbol,    i, n, word) {
		if (folder_of(path) == owner)
			return 1
		n = split(project[row_of(path)], word, " ")
		for (i = 1; i <= n; i++)
			if (word[i] ~ /\.h$/ ? folder_of(word[i]) == owner && declares(word[i], symbol) : index(owner, word[i]) == 1)
				return 1
		for (i = 1; i <= n_except; i++)
			if (index(path, except_path[i]) == 1 && index(owner, except_owner[i]) == 1) {
				is_used[i] = 1
				return 1
			}
		return 0
	}
	FILENAME ~ /floors\.table$/ {
		if (/^#|^ *$/)
			next
		split($0, part, "|")
		gsub(/ /, "", part[1])
		if (sub(/^!/, "", part[1])) {
			except_path[++n_except] = part[1]
			except_owner[n_except] = part[2]
			gsub(/ /, "", except_owner[n_except])
		} else {
			row[++n_rows] = part[1]
			project[n_rows] = part[2]
		}
		next
	}
	NF == 1 { # a source file; objects of others are left from an older tree
		is_source[$1] = 1
		next
	}
	!is_source[$1] {
		next
	}
	$2 == "U" || $2 == "w" {
		calls[++n_calls] = $1 " " $3
		next
	}
	{
		owner_of[$3] = $3 ~ /^spile_/ ? "compiler/include/" : $3 ~ /^spilert_/ ? "runtime/include/" : folder_of($1)
	}
	END {
		for (c = 1; c <= n_calls; c++) {
			split(calls[c], call, " ")
			owner = owner_of[call[2]]
			if (owner != "" && !allowed(call[1], owner, call[2])) {
				printf "%s: %s may not call %s() of %s\n", call[1], row[row_of(call[1])], call[2], owner
				bad = 1
			}
		}
		for (i = 1; i <= n_except; i++)
			if (!is_used[i]) {
				printf "floors.table: nothing in %s calls %s any more: the exception can go\n", except_path[i], except_owner[i]
				bad = 1
			}
		exit bad
	}' testsuite/lint/floors.table "$TMP/sources" "$TMP/symbols"
