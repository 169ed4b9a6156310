// SPDX-License-Identifier: GPL-2.0-or-later
// bpftrace's functions that have a value.
#define _GNU_SOURCE // sigabbrev_np
#include "compiler/bpftrace/bt.h"

#include "runtime/base/cleanup.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_ARGS 8
#define MAX_JOINED "16" // texts of join(), as there

// An address of IPv4 is a number, and in the records of tracepoints an array, as one of IPv6 is everywhere.
static const char *address_text(struct bt *bt, const char *family, const char *address)
{
	bool is_v6 = strstr(address, "v6") || strstr(address, "in6");

	if (!is_v6 && *address == '$' && (!family || sp_streq(family, "2"))) {
		bt->uses_address = true;
		return sp_arena_printf(&bt->arena, "format_ipaddr(" BT_ADDRESS "(%s), 2)", address);
	}
	return sp_arena_printf(&bt->arena, "format_ipaddr(%s%s, %s)", is_v6 ? "&" : "", address, family ? family : is_v6 ? "10" : "2");
}

// A port has 16 bits, an address 32; of others the length is not known.
static const char *swapped(struct bt *bt, const char *value)
{
	if (strstr(value, "port") || strstr(value, "& 0xffff)"))
		return sp_arena_printf(&bt->arena, "ntohs(%s)", value);
	if (strstr(value, "addr") || strstr(value, "& 0xffffffff)"))
		return sp_arena_printf(&bt->arena, "ntohl(%s)", value);
	bt_refuse(bt, "bswap() of a number whose length is not known: ntohs() has 16 bits, ntohl() 32");
	return "0";
}

// In the kernel, a probe may have addresses of both.
static const char *text_of(struct bt *bt, const char *address, const char *length)
{
	if (length && bt->place.is_user)
		return sp_arena_printf(&bt->arena, "user_string_n(%s, %s, \"\")", address, length);
	if (bt->place.is_user)
		return sp_arena_printf(&bt->arena, "user_string(%s, \"\")", address);
	bt->uses_text = true;
	return length ? sp_arena_printf(&bt->arena, "substr(" BT_TEXT "(%s), 0, %s)", address, length) :
			sp_arena_printf(&bt->arena, BT_TEXT "(%s)", address);
}

// kstack(), kstack(3), kstack(perf), kstack(perf, 3): callers() takes the last number that counts from 0, and no more than 20.
static const char *first_callers(struct bt *bt, const char *ours, const char *limit)
{
	long n = strtol(limit, NULL, 10);

	if (n < 1 || n > 20)
		return sp_arena_printf(&bt->arena, "%s()", ours);
	return sp_arena_printf(&bt->arena, "%scallers(%ld)", *ours == 'u' ? "u" : "", n - 1);
}

char bt_stack_kind(const struct bt *bt, const char *value)
{
	const char *name = *value == 'u' ? value + 1 : value;

	if (sp_streq(name, "backtrace()") || sp_starts_with(name, "callers("))
		return *value == 'u' ? 'u' : 'k';
	sp_vec_each(pointer, &bt->pointers)
		if (!pointer->type.stars && *pointer->type.name && sp_streq(pointer->variable, value))
			return *pointer->type.name;
	sp_vec_each(map, &bt->maps) {
		size_t len = strlen((*map)->ours);

		if ((*map)->stack && !strncmp(value, (*map)->ours, len) && (!value[len] || (value[len] == '[' && sp_ends_with(value, "]"))))
			return (*map)->stack;
	}
	return 0;
}

const char *bt_stack_printer(struct bt *bt, const char *stack)
{
	char kind = bt_stack_kind(bt, stack);

	if (!kind)
		return NULL;
	if (sp_ends_with(stack, "backtrace()"))
		return sp_arena_printf(&bt->arena, "print_%s", stack);
	return sp_arena_printf(&bt->arena, "print_%ssyms(%s)", kind == 'u' ? "u" : "", stack);
}

// The number of a cgroup is the inode of its folder.
static const char *cgroup_number(struct bt *bt, const char *path)
{
	size_t len = strlen(path);
	struct stat st;

	if (path[0] != '"' || len < 3 || stat(sp_arena_strndup(&bt->arena, path + 1, len - 2), &st) < 0) {
		bt_refuse(bt, "cgroupid() of what is no folder here");
		return "0";
	}
	return sp_arena_printf(&bt->arena, "%llu", (unsigned long long)st.st_ino);
}

// "SIGKILL", KILL or 9.
static const char *raised(struct bt *bt, const char *arg)
{
	const char *name = arg[0] == '"' ? sp_arena_strndup(&bt->arena, arg + 1, strlen(arg) - 2) : arg;

	name += sp_starts_with(name, "SIG") ? 3 : 0;
	if (isdigit((unsigned char)*name))
		return sp_arena_printf(&bt->arena, "raise(%s)", name);
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && sp_streq(sigabbrev_np(i), name))
			return sp_arena_printf(&bt->arena, "raise(%d)", i);
	bt_refuse(bt, "signal() of %s", arg);
	return "0";
}

// Of printf(), where %r is %.*M: the length, then the address.
static const char *buffer(struct bt *bt, const char *address, const char *length)
{
	if (!bt->in_format || !length)
		bt_refuse(bt, "buf() without a length, or outside of printf()");
	bt->n_buffers++;
	return length ? sp_arena_printf(&bt->arena, "%s, %s", length, address) : "0";
}

// Of a structure, or of a pointer to one.
static const char *path_text(struct bt *bt, const char *path)
{
	size_t len = strlen(path);
	bool is_structure = len > 6 && sp_streq(path + len - 6, "f_path");

	return sp_arena_printf(&bt->arena, "fullpath_struct_path(%s%s)", is_structure ? "&" : "", path);
}

// nsecs(tai) is the time of day, all others count from when the machine began.
static const char *clock_of(const char *kind)
{
	return strstr(kind, "tai") ? "gettimeofday_ns()" : "ktime_get_ns()";
}

// bpftrace's times are nanoseconds from when the machine began, and those of strftime() seconds of the time of day.
static const char *time_text(struct bt *bt, const char *format, const char *time)
{
	if (sp_streq(time, "ktime_get_ns()"))
		return sp_arena_printf(&bt->arena, "strftime(%s, gettimeofday_s())", format);
	return sp_arena_printf(&bt->arena, "strftime(%s, ((%s)%s) / 1000000000)", format, time,
			       sp_streq(time, "gettimeofday_ns()") ? "" : " + gettimeofday_ns() - ktime_get_ns()");
}

static const char *compared(struct bt *bt, const char *const *args)
{
	return sp_arena_printf(&bt->arena, "(substr(%s, 0, %s) != substr(%s, 0, %s))", bt_member_text(bt, args[0]), args[2],
			       bt_member_text(bt, args[1]), args[2]);
}

// `pattern` has %1 where the argument goes.
static const char *filled(struct bt *bt, const char *pattern, const char *arg)
{
	const char *hole = strstr(pattern, "%1");

	return hole ? sp_arena_printf(&bt->arena, "%.*s%s%s", (int)(hole - pattern), pattern, arg, hole + 2) : pattern;
}

// Functions of one argument, and those whose only argument does not matter here.
static const char *simple_call(struct bt *bt, const char *name, const char *arg)
{
	static const struct { const char *name, *ours; } rows[] = {
		{ "kaddr", "&@var(%1)" }, { "kptr", "%1" }, { "ksym", "symname(%1)" }, { "macaddr", "mac_ntop(%1, 6)" },
		{ "reg", "register(%1)" }, { "strlen", "strlen(%1)" }, { "uaddr", "&@var(%1)" }, { "uptr", "%1" }, { "usym", "usymname(%1)" },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++)
		if (sp_streq(name, rows[i].name))
			return filled(bt, rows[i].ours, arg);
	bt_refuse(bt, "%s()", name);
	return "0";
}

static const char *value_call(struct bt *bt, const char *name, const char *const *args, unsigned n)
{
	if (sp_streq(name, "str") && (n == 1 || n == 2))
		return text_of(bt, args[0], n == 2 ? args[1] : NULL);
	if (sp_streq(name, "buf") && n)
		return buffer(bt, args[0], args[1]);
	if (sp_streq(name, "ntop") && (n == 1 || n == 2))
		return address_text(bt, n == 2 ? args[0] : NULL, args[n - 1]);
	if (sp_streq(name, "bswap") && n == 1)
		return swapped(bt, args[0]);
	if (sp_streq(name, "strncmp") && n == 3)
		return compared(bt, args);
	if (sp_streq(name, "strcontains") && n == 2)
		return sp_arena_printf(&bt->arena, "isinstr(%s, %s)", bt_member_text(bt, args[0]), bt_member_text(bt, args[1]));
	if (sp_streq(name, "strftime") && n == 2)
		return time_text(bt, args[0], args[1]);
	if (sp_streq(name, "path") && n)
		return path_text(bt, args[0]);
	if (sp_streq(name, "cgroupid") && n == 1)
		return cgroup_number(bt, args[0]);
	if (sp_streq(name, "signal") && n == 1)
		return raised(bt, args[0]);
	if (sp_streq(name, "nsecs") && n <= 1)
		return clock_of(n ? args[0] : "");
	if (sp_streq(name, "ppid") && !n)
		return "ppid()";
	if (sp_streq(name, "kstack") || sp_streq(name, "ustack"))
		return first_callers(bt, *name == 'u' ? "ubacktrace" : "backtrace", n ? args[n - 1] : "");
	return simple_call(bt, name, n == 1 ? args[0] : "");
}

// has_key(@x, key), len(@x)
static const char *map_call(struct bt *bt, const char *name)
{
	const char *args[MAX_ARGS];
	struct bt_token token;
	struct bt_map *map;
	sp_cleanup(sp_buf_deinit) struct sp_buf keys = { 0 };
	unsigned n;

	bt_take(bt, "(");
	token = bt_peek(bt);
	map = token.kind == BT_MAP ? bt_map(bt, &token) : NULL;
	bt->at = token.at - 1;
	bt->wants_place = true;
	n = bt_args(bt, args, MAX_ARGS);
	bt->wants_place = false;
	if (!map || !map->n_keys || n != (sp_streq(name, "len") ? 1 : map->n_keys + 1)) {
		bt_refuse(bt, "%s() of what is no map with keys", name);
		return "0";
	}
	if (sp_streq(name, "len")) {
		map->is_counted = true;
		return sp_arena_printf(&bt->arena, "length_of_%s()", map->ours);
	}
	for (unsigned i = 1; i < n; i++)
		sp_buf_printf(&keys, "%s%s", i > 1 ? ", " : "", args[i]);
	return sp_arena_printf(&bt->arena, "([%s] in %s)", sp_buf_str(&keys), map->ours);
}

// Functions that read memory want to know where.
static unsigned call_args(struct bt *bt, const char *name, const char **args)
{
	static const char *const readers[] = { "buf", "kptr", "macaddr", "ntop", "str", "uptr" };
	bool outer = bt->wants_address;
	unsigned n;

	bt->wants_address = false;
	for (size_t i = 0; i < SP_ARRAY_SIZE(readers); i++)
		bt->wants_address |= sp_streq(name, readers[i]);
	n = bt_args(bt, args, MAX_ARGS);
	bt->wants_address = outer;
	return n;
}

const char *bt_call(struct bt *bt, const char *name)
{
	const char *args[MAX_ARGS] = { 0 };

	if (sp_streq(name, "sizeof"))
		return bt_sizeof(bt);
	if (sp_streq(name, "offsetof"))
		return bt_offsetof(bt);
	if (sp_streq(name, "has_key") || sp_streq(name, "len"))
		return map_call(bt, name);
	if (sp_streq(name, "str")) {
		const char *text = bt_argument_text(bt);

		if (text)
			return text;
	}
	return value_call(bt, name, args, call_args(bt, name, args));
}

void bt_define_functions(struct bt *bt, struct sp_buf *out)
{
	if (bt->uses_text)
		sp_buf_puts(out, "function " BT_TEXT " (address) { return address < 0 ? kernel_string(address, \"\") : user_string(address, \"\") }\n");
	if (bt->uses_address)
		sp_buf_puts(out, "function " BT_ADDRESS " (place) { return place < 0 ? kernel_int(place) : place }\n");
	if (bt->uses_join)
		sp_buf_puts(out, "function " BT_JOIN " (texts, by)\n{\n"
				 "  for (i = 0; i < " MAX_JOINED "; i++) {\n"
				 "    address = user_uint64(texts + 8 * i)\n"
				 "    if (!address) break\n"
				 "    all = all . (i ? by : \"\") . user_string(address, \"\")\n"
				 "  }\n  return all\n}\n");
	sp_vec_each(map, &bt->maps)
		if ((*map)->is_counted)
			sp_buf_printf(out, "function length_of_%s ()\n{\n  foreach (%s in %s) length++\n  return length\n}\n", (*map)->ours,
				      (bt_name_keys(bt, *map), bt_key_list(bt, *map)), (*map)->ours);
}
