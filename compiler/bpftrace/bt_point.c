// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/bpftrace/bt.h"

#include "compiler/front/habit.h"
#include "runtime/base/cleanup.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *short_name, *name;
} kinds[] = {
	{ "k", "kprobe" }, { "kr", "kretprobe" }, { "t", "tracepoint" }, { "rt", "rawtracepoint" }, { "u", "uprobe" }, { "ur", "uretprobe" },
	{ "U", "usdt" }, { "p", "profile" }, { "i", "interval" }, { "s", "software" }, { "h", "hardware" }, { "f", "fentry" }, { "fr", "fexit" },
	{ "begin", "BEGIN" }, { "end", "END" },
}, events[] = {
	{ "cpu", "cpu_clock" }, { "faults", "page_faults" }, { "minor_faults", "page_faults_min" }, { "major_faults", "page_faults_maj" },
	{ "cs", "context_switches" }, { "cycles", "cpu_cycles" }, { "branches", "branch_instructions" },
};

// Splits `kind:a:b`; a name in quotes loses them. Returns how many words there are.
static unsigned split(struct bt *bt, const char *point, const char **words, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		bool quoted = point[0] == '"' && strchr(point + 1, '"');
		size_t len = quoted ? (size_t)(strchr(point + 1, '"') + 1 - point) : strcspn(point, ":");

		words[n++] = sp_arena_strndup(&bt->arena, point + quoted, len - 2 * quoted);
		if (!point[len])
			break;
		point += len + 1;
	}
	return n;
}

static const char *event_name(struct bt *bt, const char *name)
{
	char *ret = sp_arena_strdup(&bt->arena, name);

	for (char *p = ret; *p; p++)
		*p = *p == '-' ? '_' : *p;
	for (size_t i = 0; i < SP_ARRAY_SIZE(events); i++)
		if (sp_streq(ret, events[i].short_name))
			return events[i].name;
	return ret;
}

// Of how many events bpftrace takes one where the script does not say.
static const char *event_count(const char *event)
{
	static const struct { const char *event, *count; } rows[] = {
		{ "alignment_faults", "1" }, { "bpf_output", "1" }, { "branch_instructions", "100000" }, { "branch_misses", "100000" },
		{ "bus_cycles", "100000" }, { "context_switches", "1000" }, { "cpu_migrations", "1" }, { "dummy", "1" },
		{ "emulation_faults", "1" }, { "page_faults", "100" }, { "page_faults_maj", "1" }, { "page_faults_min", "100" },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++)
		if (sp_streq(event, rows[i].event))
			return rows[i].count;
	return "1000000";
}

static const char *path_of(struct bt *bt, const char *path)
{
	return strchr(path, '/') || !sp_starts_with(path, "lib") || strchr(path, '.') ?
		       path :
		       sp_arena_printf(&bt->arena, "%s.so.%s", path, sp_streq(path, "libc") || sp_streq(path, "libm") ? "6" : "0");
}

static void learn_place(struct bt *bt, const char **words)
{
	const char *kind = words[0];

	bt->place = (struct bt_place){
		.is_user = kind[0] == 'u' || (sp_streq(kind, "tracepoint") && words[1] && sp_streq(words[1], "syscalls")),
		.is_mark = sp_streq(kind, "usdt"),
		.is_iterator = sp_streq(kind, "iter"),
		.has_return = sp_streq(kind, "fexit") || sp_streq(kind, "kretfunc"),
	};
}

// watchpoint:0x10000000:8:w
static const char *watchpoint(struct bt *bt, const char **words, unsigned n)
{
	bool is_number = n == 4 && isdigit((unsigned char)words[1][0]) && isdigit((unsigned char)words[2][0]);
	bool is_write = n == 4 && sp_streq(words[3], "w");

	if (!is_number || !(is_write || strchr(words[3], 'r')))
		return NULL;
	return sp_arena_printf(&bt->arena, "%s.data(%s).length(%s).%s", strtoull(words[1], NULL, 0) >> 63 ? "kernel" : "process", words[1], words[2],
			       is_write ? "write" : "rw");
}

// function+8
static bool is_behind(const char *function)
{
	const char *plus = strrchr(function, '+');

	return plus && plus > function && isdigit((unsigned char)plus[1]) && isalnum((unsigned char)plus[-1]);
}

// Words of a kernel's function: its own code has a name as a module has, and BTF names it.
static unsigned without_vmlinux(const char **words, unsigned n)
{
	bool has = n == 3 && sp_streq(words[1], "vmlinux");

	if (has)
		words[1] = words[2];
	return n - has;
}

// uprobe:PATH:cpp:"space::name(int)": names are known in all languages.
static const char *function_of_language(struct bt *bt, const char **words)
{
	return sp_arena_printf(&bt->arena, "process(\"%s\").function(\"%s\")%s", words[1], words[3], sp_streq(words[0], "uretprobe") ? ".return" : ".call");
}

// bpftrace knows no inlined copies of a function, and where these begin the registers hold no arguments.
static const char *without_copies(struct bt *bt, const char *point)
{
	size_t len = point ? strlen(point) : 0;

	return len > 2 && strstr(point, ".function(\"") && sp_streq(point + len - 2, "\")") ? sp_arena_printf(&bt->arena, "%s.call", point) : point;
}

// The arguments of the script in the names of a point: "$1" is @1, and "a$1" "a" @1.
static const char *with_arguments(struct bt *bt, const char *point)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	bool in_text = false;

	for (const char *p = point; *p; p++) {
		size_t n_digits = *p == '$' && in_text ? strspn(p + 1, "0123456789") : 0;
		bool is_first = p > point && p[-1] == '"', is_last = p[n_digits + 1] == '"';

		in_text ^= *p == '"';
		if (!n_digits) {
			sp_buf_putc(&out, *p);
			continue;
		}
		if (is_first)
			out.len--;
		sp_buf_printf(&out, "%s@%.*s%s", is_first ? "" : "\" ", (int)n_digits, p + 1, is_last ? "" : " \"");
		p += n_digits + is_last;
		in_text = !is_last;
	}
	return sp_arena_strdup(&bt->arena, sp_buf_str(&out));
}

// How often a point of these kinds comes.
static void read_count(struct bt *bt, const char **words, unsigned n)
{
	static const char *const counted[] = { "software", "hardware", "profile", "interval" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(counted) && n > 2; i++)
		if (sp_streq(words[0], counted[i]) && isdigit((unsigned char)words[2][0]))
			words[2] = bt_number(bt, words[2]);
}

const char *bt_point(struct bt *bt, const char *text)
{
	const char *words[5] = { 0 }, *ours;
	sp_cleanup(sp_buf_deinit) struct sp_buf joined = { 0 };
	unsigned n = split(bt, text, words, 4);

	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++)
		if (sp_streq(words[0], kinds[i].short_name))
			words[0] = kinds[i].name;
	learn_place(bt, words);
	n = without_vmlinux(words, n);
	read_count(bt, words, n);
	if (sp_streq(words[0], "watchpoint") || sp_streq(words[0], "asyncwatchpoint"))
		return watchpoint(bt, words, n);
	if (n == 4 && (sp_streq(words[0], "uprobe") || sp_streq(words[0], "uretprobe")))
		return with_arguments(bt, function_of_language(bt, words));
	if (words[0][0] && strchr("ku", words[0][0]) && n > 1 && is_behind(words[n - 1]))
		bt_refuse(bt, "an address in a function is statement(ADDRESS) here");
	if ((sp_streq(words[0], "software") || sp_streq(words[0], "hardware")) && n > 1)
		words[1] = event_name(bt, words[1]);
	if ((sp_streq(words[0], "software") || sp_streq(words[0], "hardware")) && n == 2)
		words[n++] = event_count(words[1]);
	if (sp_streq(words[0], "profile") && n == 3 && !sp_streq(words[1], "hz"))
		return sp_arena_printf(&bt->arena, "perf.sw.cpu_clock.sample(%s%s)", words[2], words[1][0] == 'm' ? "000000" :
				       words[1][0] == 'u' ? "000" : "000000000");
	if (words[0][0] == 'u' && n > 1)
		words[1] = path_of(bt, words[1]);
	for (unsigned i = 0; i < n; i++)
		sp_buf_printf(&joined, "%s%s", i ? ":" : "", words[i]);
	ours = without_copies(bt, habit_point(&bt->arena, sp_buf_str(&joined)));
	return ours ? with_arguments(bt, ours) : NULL;
}
