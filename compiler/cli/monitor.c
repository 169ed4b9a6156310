// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create, fallocate
#include "compiler/cli/monitor.h"

#include "compiler/cli/screen.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SHOWN 65536 // bytes of output that are looked at for its last lines
#define PATIENCE_MS 2000 // for a terminal that takes nothing, when a signal has ended the session
#define POINT_COLUMN 45 // where a probe's point begins
#define MIN_POINT 12 // columns that a point has however narrow the terminal is
#define KEYS " q quit  p pause  up/down choose  t switch  s sort  c clear"

enum order { BY_SCRIPT, BY_HITS, BY_RATE, BY_MEAN, BY_SHARE, N_ORDERS };

static const char *const order_names[] = { "script", "hits", "hits/s", "avg ns", "CPU" };

struct row {
	struct spilert_probe probe;
	double rate, share; // a second; of all CPUs
	unsigned long long before_hits, before_ns;
};

struct monitor {
	const char *name;
	struct spilert_watch watch;
	struct screen screen;
	int output; // the file in memory
	int before[2]; // what standard output and standard error were
	off_t shown; // up to where the output has been on the screen
	struct row *rows;
	unsigned n_rows, chosen; // `chosen`: the number of its probe
	enum order order;
	double started, sampled; // s
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

// ---- numbers -----------------------------------------------------------------------------------------------------------

static struct row *find_row(struct monitor *m, unsigned number)
{
	for (unsigned i = 0; i < m->n_rows; i++)
		if (m->rows[i].probe.number == number)
			return &m->rows[i];
	return NULL;
}

// What the probes have done; rates are those of a whole period.
static void sample(struct monitor *m, struct spilert *rt)
{
	unsigned n = spilert_probes(rt, NULL, 0);
	struct spilert_probe *probes = sp_calloc(n + 1, sizeof(*probes));
	double at = now(), passed = at - m->sampled, n_cpus = (double)SP_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	bool is_whole = passed * 1000 > 0.8 * m->watch.period_ms;

	spilert_probes(rt, probes, n);
	if (!m->rows) {
		m->rows = sp_calloc(n + 1, sizeof(*m->rows));
		m->n_rows = n;
		m->chosen = n ? probes[0].number : 0;
		for (unsigned i = 0; i < n; i++)
			m->rows[i].probe = probes[i];
	}
	for (unsigned i = 0; i < n; i++) {
		struct row *row = find_row(m, probes[i].number);

		row->probe = probes[i];
		if (!is_whole)
			continue;
		row->rate = (double)(probes[i].hits - row->before_hits) / passed;
		row->share = (double)(probes[i].ns - row->before_ns) / 1e9 / passed / n_cpus;
		row->before_hits = probes[i].hits;
		row->before_ns = probes[i].ns;
	}
	if (is_whole)
		m->sampled = at;
	free(probes);
}

static double mean(const struct row *row)
{
	return row->probe.hits ? (double)row->probe.ns / (double)row->probe.hits : 0;
}

static double weight(const struct row *row, enum order order)
{
	switch (order) {
	case BY_HITS: return (double)row->probe.hits;
	case BY_RATE: return row->rate;
	case BY_MEAN: return mean(row);
	case BY_SHARE: return row->share;
	case BY_SCRIPT:
	case N_ORDERS: break;
	}
	return -(double)row->probe.number;
}

// By insertion: they are few, and mostly in order.
static void sort(struct monitor *m)
{
	for (unsigned i = 1; i < m->n_rows; i++)
		for (unsigned k = i; k > 0 && weight(&m->rows[k - 1], m->order) < weight(&m->rows[k], m->order); k--) {
			struct row row = m->rows[k];

			m->rows[k] = m->rows[k - 1];
			m->rows[k - 1] = row;
		}
}

// ---- the screen --------------------------------------------------------------------------------------------------------

static void draw_head(struct monitor *m, const struct spilert *rt)
{
	unsigned seconds = (unsigned)(now() - m->started);
	double rate = 0, share = 0;

	for (unsigned i = 0; i < m->n_rows; i++) {
		rate += m->rows[i].rate;
		share += m->rows[i].share;
	}
	screen_printf(&m->screen, true, " spile %s%s  %u:%02u:%02u  %u probe%s  %.0f hits/s  %.1f%% of the CPUs", m->name, spilert_is_paused(rt) ? "  paused" : "",
		      seconds / 3600, seconds / 60 % 60, seconds % 60, m->n_rows, m->n_rows == 1 ? "" : "s", rate, 100 * share);
}

// Of a point that is too long the middle is left out: its end tells a function's return from its entry.
static void draw_probe(struct monitor *m, const struct row *row)
{
	const struct spilert_probe *p = &row->probe;
	const char *state = p->is_fixed ? "" : p->is_off ? "off" : p->is_disarmed ? "if" : "on";
	size_t len = strlen(p->point), head = len, tail = 0, taken, room;
	char others[40] = "";

	if (p->n_points > 1)
		snprintf(others, sizeof(others), " and %u more", p->n_points - 1);
	taken = POINT_COLUMN + strlen(others);
	room = SP_MAX(m->screen.columns, taken + MIN_POINT) - taken;
	if (len > room) {
		head = (room - 3) / 4;
		tail = room - 3 - head;
	}
	screen_printf(&m->screen, false, "%c%10llu %9.0f %9.0f %6.1f  %-3s  %.*s%s%s%s", p->number == m->chosen ? '>' : ' ', p->hits, row->rate,
		      mean(row), 100 * row->share, state, (int)head, p->point, tail ? "..." : "", p->point + len - tail, others);
}

// So that the chosen one is among them.
static void draw_probes(struct monitor *m, unsigned rows)
{
	unsigned chosen = 0, first;

	screen_printf(&m->screen, false, "%11s %9s %9s %6s       PROBE (by %s)", "HITS", "HITS/S", "AVG NS", "CPU %", order_names[m->order]);
	while (chosen + 1 < m->n_rows && m->rows[chosen].probe.number != m->chosen)
		chosen++;
	first = chosen >= rows ? chosen - rows + 1 : 0;
	for (unsigned i = first; i < m->n_rows && i < first + rows; i++)
		draw_probe(m, &m->rows[i]);
}

static unsigned count_lines(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

static void draw_lines(struct monitor *m, const char *text, size_t len, unsigned rows)
{
	for (size_t at = 0; at < len && rows > 0; rows--) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t size = end ? (size_t)(end - text) - at : len - at;

		screen_line(&m->screen, text + at, size, false);
		at += size + 1;
	}
}

static void draw_variables(struct monitor *m, const char *text, unsigned rows)
{
	unsigned n = count_lines(text, strlen(text));

	screen_printf(&m->screen, false, "%s", "");
	screen_printf(&m->screen, false, n > rows ? "VARIABLES (the first %u lines of %u)" : "VARIABLES", rows, n);
	draw_lines(m, text, strlen(text), rows);
}

// The last lines; earlier bytes leave the memory. Returns where the output ends.
static off_t draw_output(struct monitor *m)
{
	off_t end = lseek(m->output, 0, SEEK_END), from = end > SHOWN ? end - SHOWN : 0;
	sp_cleanup_free char *text = sp_malloc(SHOWN);
	ssize_t n = pread(m->output, text, SHOWN, from);
	size_t len = n > 0 ? (size_t)n : 0;
	unsigned lines, rows;

	screen_printf(&m->screen, false, "%s", "");
	screen_printf(&m->screen, false, "OUTPUT");
	rows = screen_rows_left(&m->screen) - 1;
	lines = count_lines(text, len) + (len && text[len - 1] != '\n');
	for (const char *at = text; lines > rows; lines--) {
		size_t size = (size_t)((char *)memchr(at, '\n', len) - at) + 1;

		memmove(text, at + size, len - size);
		len -= size;
	}
	draw_lines(m, text, len, rows);
	while (screen_rows_left(&m->screen) > 1)
		screen_printf(&m->screen, false, "%s", "");
	if (from > 0)
		fallocate(m->output, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, from);
	m->shown = SP_MAX(m->shown, from);
	return end;
}

static void draw(struct monitor *m, struct spilert *rt)
{
	sp_cleanup_free char *variables = spilert_variables(rt);
	unsigned third;
	off_t end;

	screen_begin(&m->screen);
	third = m->screen.rows > 12 ? (m->screen.rows - 7) / 3 : 1;
	draw_head(m, rt);
	draw_probes(m, SP_MIN(m->n_rows, third));
	if (*variables)
		draw_variables(m, variables, SP_MIN(count_lines(variables, strlen(variables)), third));
	end = draw_output(m);
	screen_line(&m->screen, KEYS, strlen(KEYS), true);
	if (screen_end(&m->screen))
		m->shown = end;
}

// ---- keys --------------------------------------------------------------------------------------------------------------

static void choose(struct monitor *m, int step)
{
	for (unsigned i = 0; i < m->n_rows; i++)
		if (m->rows[i].probe.number == m->chosen && i + (unsigned)step < m->n_rows) {
			m->chosen = m->rows[i + (unsigned)step].probe.number;
			return;
		}
}

static void switch_chosen(struct monitor *m, struct spilert *rt)
{
	struct row *row = find_row(m, m->chosen);

	if (row)
		spilert_switch_probe(rt, row->probe.number, row->probe.is_off);
}

static void take_key(struct monitor *m, struct spilert *rt, int key)
{
	switch (key) {
	case 'q': spilert_stop(rt); break;
	case 'p':
	case 'r':
		if (key == 'p' || spilert_is_paused(rt))
			spilert_pause(rt, !spilert_is_paused(rt));
		break;
	case 't':
	case ' ': switch_chosen(m, rt); break;
	case 'c': spilert_reset_variables(rt); break;
	case 's': m->order = (enum order)((m->order + 1) % N_ORDERS); break;
	case SCREEN_UP: choose(m, -1); break;
	case SCREEN_DOWN: choose(m, 1); break;
	default: break;
	}
}

static void look(void *ctx, struct spilert *rt)
{
	struct monitor *m = ctx;
	int key;

	if (!m->started)
		m->started = m->sampled = now();
	sample(m, rt);
	while ((key = screen_key(&m->screen)) != SCREEN_NONE) {
		take_key(m, rt, key);
		sample(m, rt); // what is on and off may be another now
	}
	sort(m);
	draw(m, rt);
}

// ---- begin and end -----------------------------------------------------------------------------------------------------

static void take_output(struct monitor *m)
{
	fflush(NULL);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		m->before[fd - 1] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		dup2(m->output, fd);
	}
}

static void give_back_output(struct monitor *m)
{
	fflush(NULL);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		dup2(m->before[fd - 1], fd);
		close(m->before[fd - 1]);
	}
}

// Returns how many bytes the terminal did not take.
static off_t print_rest(struct monitor *m)
{
	char bytes[4096];
	ssize_t n;

	while ((n = pread(m->output, bytes, sizeof(bytes), m->shown)) > 0) {
		size_t taken = screen_put(&m->screen, bytes, (size_t)n);

		m->shown += (off_t)taken;
		if (taken < (size_t)n)
			break;
	}
	return lseek(m->output, 0, SEEK_END) - m->shown;
}

int monitor_start(const char *name, double seconds, struct spilert_opts *opts, struct monitor **ret)
{
	struct monitor *m = sp_calloc(1, sizeof(*m));
	int status = screen_open(&m->screen, "--monitor");

	*ret = m;
	m->output = -1;
	if (status)
		return status;
	m->name = name;
	m->output = memfd_create("output", MFD_CLOEXEC);
	if (m->output < 0 || fcntl(m->output, F_SETFL, O_APPEND)) {
		screen_close(&m->screen);
		fprintf(stderr, "spile: --monitor: %s\n", strerror(errno));
		return 1;
	}
	take_output(m);
	m->watch = (struct spilert_watch){ (unsigned)(seconds * 1000), m->screen.fd, look, m };
	opts->watch = &m->watch;
	opts->progress = NULL;
	return 0;
}

void monitor_begin(struct monitor *m)
{
	if (m)
		screen_take(&m->screen);
}

// What is left is told where standard error was.
static int end_screen(struct monitor *m, enum monitor_ends how)
{
	unsigned lost = 0;
	off_t left = 0;

	screen_leave(&m->screen, how == MONITOR_WAITS ? UINT_MAX : how == MONITOR_HURRIES ? PATIENCE_MS : 0);
	give_back_output(m);
	if (how != MONITOR_IS_OTHER)
		left = print_rest(m);
	screen_close(&m->screen);
	close(m->output);
	if (left > 0) {
		char text[80];

		snprintf(text, sizeof(text), "%lld bytes of output were not written: nobody reads them", (long long)left);
		sp_file_say(&lost, sp_log_word(SP_LOG_WARN), text);
	}
	return left > 0;
}

int monitor_end(struct monitor *m, enum monitor_ends how)
{
	int status = m && m->output >= 0 ? end_screen(m, how) : 0;

	if (m)
		free(m->rows);
	free(m);
	return status;
}
