# SPDX-License-Identifier: GPL-2.0-or-later
# Lists what library files declare, for library.index: with it the compiler need not read files that a script does not use
# (compiler/front/tapset.c). "F NUMBER SIZE FILE" is a file; then in any branch of its conditions "f FUNCTION NUMBER", "g GLOBAL
# NUMBER", "m MACRO NUMBER", and "a ALIAS NUMBER" with the first two components.
#
#   LC_ALL=C awk -f index.awk FOLDER=../NAME FILE... FOLDER=. FILE... | LC_ALL=C sort -u >library.index
#
# FOLDER is that of the files behind it as seen from that of the index. Declarations begin at the start of a line.
FNR == 1 {
	flush_file()
	file = FILENAME
	sub(/.*\//, "", file)
	if (FOLDER != ".")
		file = FOLDER "/" file
	size = 0
	number = sprintf("%04d", n_files++) # they are sorted as text
}

{ size += length($0) + 1 }

/^function / {
	name = $2
	sub(/[^A-Za-z0-9_].*/, "", name)
	print "f " name " " number
}

/^@define / {
	name = $2
	sub(/[^A-Za-z0-9_].*/, "", name)
	print "m " name " " number
}

/^global / {
	text = substr($0, 8)
	sub(/;.*|\/\/.*/, "", text)
	gsub(/\[[^]]*\]|=[^,]*|"[^"]*"/, "", text)
	n = split(text, list, /,/)
	for (i = 1; i <= n; i++) {
		gsub(/[^A-Za-z0-9_]/, "", list[i])
		if (list[i] != "")
			print "g " list[i] " " number
	}
}

/^probe / {
	text = substr($0, 7)
	sub(/[{].*/, "", text)
	n = split(text, list, / *\+?= */)
	for (i = 1; i < n; i++) {
		split(list[i], part, /\./)
		if (part[2] !~ /^[A-Za-z0-9_]+$/)
			part[2] = ""
		print "a " part[1] "." part[2] " " number
	}
}

END { flush_file() }

function flush_file()
{
	if (file != "")
		print "F " number " " size " " file
}
