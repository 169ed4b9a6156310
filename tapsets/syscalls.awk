# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the aliases of system calls of the rows of syscalls.tbl, a file for the names that begin with the same two letters, so
# that a script does not wait for all of them; and for each other family a file of aliases of these:
#
#   awk -v folder=FOLDER -f syscalls.awk syscalls.tbl
BEGIN {
	FS = "|"
	n_families = split("nd dw tp", families, " ")
	split("int uint short long ulong off32 hex mode addr ptr path str name dfd sig", list, " ")
	for (i in list)
		types[list[i]] = 1
	format["int"] = format["short"] = format["long"] = format["off32"] = format["uint"] = "%d"
	format["ulong"] = "%u"
	format["hex"] = "%s"
	format["mode"] = "%#03o"
	format["addr"] = format["ptr"] = "%p"
	format["path"] = format["str"] = format["dfd"] = format["sig"] = "%s"
	what["path"] = "a path, in quotes"
	what["str"] = "a text, in quotes"
	what["dfd"] = "the file descriptor of a folder"
	what["sig"] = "a signal"
	what["mode"] = "permissions"
	what["addr"] = what["ptr"] = "an address in user memory"
}

function fail(text)
{
	printf "syscalls.tbl:%d: %s\n", NR, text >"/dev/stderr"
	failed = 1
	exit 1
}

/^#/ || /^[ \t]*$/ { next }
NF < 4 { fail("a row has at least 4 fields") }

# Writes `text` to the end of a file, which begins with what it is.
function put(file, text)
{
	file = folder "/" file
	if (!(file in is_begun))
		printf "// SPDX-License-Identifier: GPL-2.0-or-later\n// Made of syscalls.tbl by syscalls.awk.\n" >file
	is_begun[file] = 1
	printf "%s", text >file
}

{
	name = $1
	plain = name
	sub(/^compat_(sys_)?/, "", plain)
	read_points()
	read_args($4)
	more_text = $5
	result = $6
	if (has_long() && $2 != "-" && $3 != "-") {
		only = "native"
		write_pair("")
		only = "compat"
		write_pair("")
		only = ""
	} else if (n_points) {
		write_pair("")
	}
	for (s = 1; s <= n_subs; s++)
		write_pair(subs[s])
	for (f = 1; f <= n_families; f++) {
		family = families[f] "_syscall"
		put(family "s.stp", sprintf("probe %s.%s = syscall.%s {}\nprobe %s.%s.return = syscall.%s.return {}\n", family, name,
			name, family, name, name))
	}
}

# ---- points ----

# points[] are names of the kernel with .compat behind those of 32-bit programs and .any behind those of both, .named when another
# row has them as well; subs[] are like "socketcall:5".
function read_points(    list, n, i, k, known, named)
{
	n_points = n_subs = 0
	is_own = 1
	for (k = 2; k <= 3; k++) {
		n = split($k, list, /,/)
		if ($k ~ /\(/)
			n = split_calls($k, list)
		for (i = 1; i <= n; i++) {
			if (list[i] == "-")
				continue
			named = sub(/^\+/, "", list[i]) ? ".named" : ""
			if (list[i] == "=")
				list[i] = name
			if (list[i] ~ /:/) {
				subs[++n_subs] = list[i]
				continue
			}
			if (list[i] != plain)
				is_own = 0
			if (list[i] in known) {
				suffix[known[list[i]]] = ".any" named
				continue
			}
			points[++n_points] = list[i]
			suffix[n_points] = (k == 3 ? ".compat" : "") named
			known[list[i]] = n_points
		}
	}
}

# The commas between ( and ) separate nothing.
function split_calls(text, list,    n, i, c, depth, item)
{
	n = 0
	item = ""
	for (i = 1; i <= length(text) + 1; i++) {
		c = i > length(text) ? "," : substr(text, i, 1)
		depth += (c == "(") - (c == ")")
		if (c == "," && !depth) {
			list[++n] = item
			item = ""
		} else {
			item = item c
		}
	}
	return n
}

# Of a row for both kinds of programs that is written once for each of them: the points of one kind.
function point_list(which, sub_call,    text, i, kind)
{
	if (sub_call != "")
		return sprintf("kernel.syscall(\"%s\").compat%s ?", substr(sub_call, 1, index(sub_call, ":") - 1), which)
	for (i = 1; i <= n_points; i++) {
		kind = suffix[i]
		if (only == (kind ~ /^\.compat/ ? "native" : kind ~ /^\.any/ ? "both" : "compat"))
			continue
		if (only != "")
			sub(/^\.any/, only == "native" ? "" : ".compat", kind)
		text = text (text == "" ? "" : ", ") sprintf("kernel.syscall(\"%s\")%s%s ?", points[i], kind, which)
	}
	return text
}

# ---- arguments ----

function read_args(text,    list, i, place, spec, at)
{
	n_args = split(text, list, / /)
	place = 0
	for (i = 1; i <= n_args; i++) {
		spec = list[i]
		condition[i] = ""
		if (at = index(spec, "?(")) {
			condition[i] = substr(spec, at + 1)
			spec = substr(spec, 1, at - 1)
		}
		is_hidden[i] = sub(/!$/, "", spec)
		place++
		if (match(spec, /@[0-9]+$/)) {
			place = substr(spec, RSTART + 1) + 0
			spec = substr(spec, 1, RSTART - 1)
		}
		at = index(spec, ":")
		arg[i] = substr(spec, 1, at - 1)
		spec = substr(spec, at + 1)
		at = index(spec, ":")
		type[i] = at ? substr(spec, 1, at - 1) : spec
		decoder[i] = at ? substr(spec, at + 1) : ""
		if (!(type[i] in types))
			fail("no such type: " type[i])
		if (condition[i] != "" && i < n_args)
			fail("only the last argument has a condition")
		position[i] = place
		if (type[i] == "off32")
			place++
	}
}

# A number with its sign has 32 bits in 32-bit programs.
function has_long(    i)
{
	for (i = 1; i <= n_args; i++)
		if (type[i] == "long")
			return 1
	return 0
}

# The variable of argument `n` as 64 bits: of a sub-call it is in memory, or another one of ipc().
function raw(n, sub_call,    order, place, behind)
{
	if (sub_call ~ /^socketcall/)
		return sprintf("__user_arg32($arg2, %d)", n)
	if (sub_call !~ /^ipc/)
		return "$arg" n
	split(substr(sub_call, index(sub_call, "(") + 1), order, /[,)]/)
	if (order[n] ~ /^\*/)
		return sprintf("__user_arg32($arg%d, 1)", substr(order[n], 2))
	if (split(order[n], place, "/") == 1)
		return "$arg" order[n]
	split(place[2], behind, ".")
	return sprintf("($arg1 >> 16 ? $arg%d : __user_arg32($arg%d, %d))", place[1], behind[1], behind[2])
}

function value(i, sub_call,    x)
{
	x = raw(position[i], sub_call)
	if (type[i] == "int" || type[i] == "dfd" || type[i] == "sig")
		return x " << 32 >> 32"
	if (type[i] == "uint")
		return x " & 0xffffffff"
	if (type[i] == "long" && (sub_call != "" || only == "compat" || $2 == "-"))
		return x " << 32 >> 32"
	if (type[i] == "short")
		return x " << 48 >> 48"
	if (type[i] == "mode")
		return x " & 0xffff"
	if (type[i] == "off32")
		return sprintf("%s & 0xffffffff | $arg%d << 32", x, position[i] + 1)
	return x
}

function set(variable, expression)
{
	if (variable in is_set)
		return
	is_set[variable] = 1
	body = body sprintf("\t%s = %s\n", variable, expression)
}

function note(variable, text)
{
	docs = docs sprintf(" * %s - %s\n", variable, text)
}

# Sets the variables of argument `i`; shown[i] is what argstr has of it.
function set_arg(i, sub_call,    v, call)
{
	v = arg[i]
	shown[i] = type[i] == "hex" ? "__hex_str(" v ")" : v
	style[i] = format[type[i]]
	if (type[i] == "ptr") {
		v = v "_uaddr"
		shown[i] = v
	}
	if (type[i] == "name") {
		set(v, value(i, sub_call))
		set(v "_str", sprintf("user_string_quoted(%s)", v))
		set(v "_str_unquoted", sprintf("user_string_nofault(%s)", v))
		note(v, "the address of a text; " v "_str in quotes, " v "_str_unquoted without")
		shown[i] = v "_str"
		style[i] = "%s"
		return
	}
	if (type[i] == "path" || type[i] == "str") {
		set(v "_uaddr", value(i, sub_call))
		set(v, sprintf("user_string_quoted(%s_uaddr)", v))
		set(v "_unquoted", sprintf("user_string_nofault(%s_uaddr)", v))
		note(v, what[type[i]] "; " v "_unquoted without, " v "_uaddr its address")
		if (type[i] == "str") {
			set(v "_str", v)
			set(v "_str_unquoted", v "_unquoted")
		}
		return
	}
	if (condition[i] ~ /^\(name!=/)
		set(v, sprintf("%s ? %s : 0", condition[i], value(i, sub_call)))
	set(v, value(i, sub_call))
	note(v, type[i] in what ? what[type[i]] : "a number")
	call = decoder[i]
	if (type[i] == "dfd")
		call = "_dfd_str"
	if (type[i] == "sig")
		call = "_signal_name"
	if (call == "")
		return
	if (call !~ /\(/)
		call = call "(%)"
	gsub(/%/, v, call)
	late = late sprintf("%s\n%s\n", arg[i] "_str", call)
	note(arg[i] "_str", "the same by name, as strace writes it")
	shown[i] = arg[i] "_str"
	style[i] = "%s"
	if (type[i] == "sig")
		late = late sprintf("%s\n%s\n", arg[i] "_name", arg[i] "_str")
}

# sprintf() of the first `n` arguments.
function print_args(n,    i, text, values)
{
	for (i = 1; i <= n; i++)
		if (!is_hidden[i]) {
			text = text (text == "" ? "" : ", ") style[i]
			values = values ", " shown[i]
		}
	if (text == "%s")
		return substr(values, 3)
	return text == "" ? "\"\"" : sprintf("sprintf(\"%s\"%s)", text, values)
}

# ---- aliases ----

# The variables of the fifth field: those of the .return, or the others.
function set_more(is_return,    list, n, i, item, at)
{
	n = split(more_text, list, /;/)
	for (i = 1; i <= n; i++) {
		item = list[i]
		if ((item ~ /^> /) != is_return || item ~ /^name=/)
			continue
		sub(/^> /, "", item)
		at = index(item, "=")
		set(substr(item, 1, at - 1), substr(item, at + 1))
		if (item !~ /^argstr=/)
			note(substr(item, 1, at - 1), is_return ? "what the call gave" : "of the arguments")
	}
}

function set_name(sub_call)
{
	if (more_text ~ /(^|;)name=ppfunc\(\)/)
		set("name", sub_call == "" ? "ppfunc()" : "\"" plain "\"")
	else
		set("name", is_own && sub_call == "" ? "ppfunc()" : "\"" plain "\"")
}

function begin_body(sub_call,    number)
{
	split("", is_set)
	body = docs = late = ""
	if (sub_call != "") {
		number = substr(sub_call, index(sub_call, ":") + 1) + 0
		body = sprintf("\tif (($arg1 & 0xffff) != %d) next\n", number)
	}
	set_name(sub_call)
}

function write_alias(which, sub_call, about,    file)
{
	file = "syscalls_" substr(name, 1, 2) ".stp"
	put(file, sprintf("\n/**\n * probe syscall.%s%s - %s\n *\n * name - %s\n%s *\n", name, which, about, plain, docs))
	put(file, sprintf(" * Example (kernel):\n *     probe syscall.%s%s { printf(\"%%s %%s\\n\", name, %s) exit() }\n */\n", name, which,
		which == "" ? "argstr" : "retstr"))
	put(file, sprintf("probe syscall.%s%s = %s\n{\n%s}\n", name, which, point_list(which, sub_call), body))
}

function write_pair(sub_call,    i, n, list, where)
{
	where = plain != name || $2 == "-" || only == "compat" ? " of a 32-bit program" : ""
	if (sub_call != "")
		where = " that a 32-bit program makes through " substr(sub_call, 1, index(sub_call, ":") - 1) "()"
	begin_body(sub_call)
	for (i = 1; i <= n_args; i++)
		set_arg(i, sub_call)
	n = split(late, list, "\n") # decoders may read arguments that come behind
	for (i = 1; i < n; i += 2)
		set(list[i], list[i + 1])
	set_more(0)
	if (!("argstr" in is_set)) {
		if (n_args && condition[n_args] != "")
			set("argstr", condition[n_args] " ? " print_args(n_args) " : " print_args(n_args - 1))
		else
			set("argstr", print_args(n_args))
	}
	note("argstr", "the arguments, as strace writes them")
	write_alias("", sub_call, "a call of " plain "()" where)

	begin_body(sub_call)
	if (plain ~ /^(clone3?|v?fork)$/) # the new process comes back from it with 0, without having called
		body = body "\tif (!$return) next\n"
	set("retval", "$return")
	note("retval", "the result, an error as a number below 0")
	note("retstr", "the result as text, with the name of an error")
	set_more(1)
	set("retstr", sprintf("return_str(%d, $return)", result == "addr" ? 2 : result == "oct" ? 3 : 1))
	write_alias(".return", sub_call, "the end of a call of " plain "()" where)
}
