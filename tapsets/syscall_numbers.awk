# SPDX-License-Identifier: GPL-2.0-or-later
# Makes syscall_name() and syscall_num() of the compiler's table of system calls:
#
#   awk -f syscall_numbers.awk ../compiler/model/syscall.def >syscall_numbers.stp
/^SYSCALL\(/ {
	split(substr($0, 9), field, /, */)
	for (machine = 1; machine <= 3; machine += 2)
		if (field[machine + 1] + 0 >= 0)
			table[machine] = table[machine] (table[machine] == "" ? "" : ",") field[1] "=" field[machine + 1]
}

# The table as literals of the lines of a script.
function literals(text,    out, at)
{
	while (length(text) > 100) {
		at = 100
		while (substr(text, at, 1) != ",")
			at--
		out = out "\t\t\"" substr(text, 1, at) "\"\n"
		text = substr(text, at + 1)
	}
	return out "\t\t\"" text "\"\n"
}

END {
	tables = "%( arch == \"x86_64\" %?\n" literals(table[1]) "%:\n" literals(table[3]) "%)\n"
	print "// SPDX-License-Identifier: GPL-2.0-or-later"
	print "// Made of compiler/model/syscall.def by syscall_numbers.awk."
	print "\n/**\n * syscall_name:string (num) - the name of a system call's number; the number when it has none\n *"
	print " * Example:\n *     probe oneshot { println(syscall_name(syscall_num(\"openat\")), \" \", syscall_name(9999)) }"
	print " * Prints:\n *     openat 9999\n */"
	print "function syscall_name:string (num:long)\n{\n\tname = __enum_str(num,\n" tables "\t\t)"
	print "\treturn substr(name, 0, 2) == \"0x\" ? sprintf(\"%d\", num) : name\n}"
	print "\n/**\n * syscall_num:long (name) - the number of a system call, -1 when there is none of that name\n *"
	print " * Example:\n *     probe oneshot { println(syscall_num(\"nosuch\")) }\n * Prints:\n *     -1\n */"
	print "function syscall_num:long (name:string)\n{\n\tat = strpos(\",\"\n" tables "\t\t\",\", \",\" . name . \"=\")"
	print "\treturn at < 0 ? -1 : strtol(substr(\n" tables "\t\t\",\", at + strlen(name) + 1, 8), 10)\n}"
}
