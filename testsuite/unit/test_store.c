// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays in this process, and, where we may, the same in the kernel's maps.
#include "runtime/vm/store.h"

#include "bundle_make.h"
#include "expect.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { LONGS, PAIRS, NAMES, WRAPS, MILLION, N_MAPS };

struct pair_key {
	int64_t number;
	char name[16];
};

static struct bundle *make_bundle(void)
{
	struct bundle_make m;
	struct bundle *bundle = NULL;
	struct sp_err *err;
	size_t size;
	char *bytes;

	bm_init(&m);
	bm_map(&m, "longs", "l", 'l', 0, 8, 0);
	bm_map(&m, "pairs", "ls", 'l', 16, 1000, 0);
	bm_map(&m, "names", "l", 's', 16, 1000, 0);
	bm_map(&m, "wraps", "l", 'l', 0, 4, SP_MAP_WRAPS);
	bm_map(&m, "million", "l", 'l', 0, 1000000, 0);
	bm_place(&m, 1, 1, "");
	bytes = bm_finish(&m, &size);
	err = bundle_open(bytes, size, &bundle);
	EXPECT(!err);
	free(bytes);
	bm_deinit(&m);
	return bundle;
}

// Of this process: others may be busy, too.
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int64_t get(struct store *s, unsigned map, int64_t key)
{
	int64_t value = -1;
	int found = store_get(s, map, &key, &value);

	return found == 1 ? value : found == 0 && value == 0 ? -1000 : -2000;
}

static int set(struct store *s, unsigned map, int64_t key, int64_t value)
{
	return store_set(s, map, &key, &value);
}

// What a walk gives, as "key=value key=value".
static const char *walk(struct store *s, unsigned map, unsigned sort_key, int direction, int64_t limit)
{
	static char text[1024];
	struct store_iter *it = store_iter_open(s, map, sort_key, direction, limit);
	int64_t key, value;
	size_t len = 0;

	text[0] = '\0';
	EXPECT(it != NULL);
	while (it && store_iter_next(it, &key, &value) && len < sizeof(text) - 50)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%" PRId64 "=%" PRId64, len ? " " : "", key, value);
	store_iter_close(it);
	return text;
}

// ---- both ways ------------------------------------------------------------------------------------------------------

static void test_longs(struct store *s)
{
	int64_t key = 1, old = -1;

	EXPECT_NUM(get(s, LONGS, 1), -1000);
	EXPECT_NUM(set(s, LONGS, 1, 10), 0);
	EXPECT_NUM(get(s, LONGS, 1), 10);
	EXPECT_NUM(set(s, LONGS, 1, 11), 0);
	EXPECT_NUM(get(s, LONGS, 1), 11);
	EXPECT_NUM(store_add(s, LONGS, &key, -12, &old), 0);
	EXPECT_NUM(old, 11);
	EXPECT_NUM(get(s, LONGS, 1), -1);
	key = 2;
	EXPECT_NUM(store_add(s, LONGS, &key, 5, &old), 0);
	EXPECT_NUM(old, 0);
	EXPECT_NUM(store_add(s, LONGS, &key, INT64_MAX, NULL), 0); // wraps around
	EXPECT_NUM(get(s, LONGS, 2), INT64_MIN + 4);
	EXPECT_NUM(store_delete(s, LONGS, &key), 0);
	EXPECT_NUM(store_delete(s, LONGS, &key), 0); // absent: nothing to do
	EXPECT_NUM(get(s, LONGS, 2), -1000);
	EXPECT_NUM(store_clear(s, LONGS), 0);
	EXPECT_NUM(get(s, LONGS, 1), -1000);
	EXPECT_STR(walk(s, LONGS, 0, 0, -1), "");
	EXPECT_NUM(store_clear(s, LONGS), 0);
}

static void test_full(struct store *s)
{
	int64_t key = 100;

	for (int64_t i = 0; i < 8; i++)
		EXPECT_NUM(set(s, LONGS, i, i * i), 0);
	EXPECT_NUM(set(s, LONGS, 100, 1), -E2BIG);
	EXPECT_NUM(store_add(s, LONGS, &key, 1, NULL), -E2BIG);
	EXPECT_NUM(set(s, LONGS, 7, 1), 0); // one that is there can be changed
	key = 0;
	EXPECT_NUM(store_delete(s, LONGS, &key), 0);
	EXPECT_NUM(set(s, LONGS, 100, 1), 0);
	EXPECT_NUM(store_clear(s, LONGS), 0);
}

static void test_order(struct store *s)
{
	static const int64_t values[] = { 5, -3, 9, 0, 7 };

	for (int64_t i = 0; i < 5; i++)
		EXPECT_NUM(set(s, LONGS, i, values[i]), 0);
	EXPECT_STR(walk(s, LONGS, 0, +1, -1), "1=-3 3=0 0=5 4=7 2=9");
	EXPECT_STR(walk(s, LONGS, 0, -1, -1), "2=9 4=7 0=5 3=0 1=-3");
	EXPECT_STR(walk(s, LONGS, 1, +1, -1), "0=5 1=-3 2=9 3=0 4=7");
	EXPECT_STR(walk(s, LONGS, 1, -1, 2), "4=7 3=0");
	EXPECT_STR(walk(s, LONGS, 0, +1, 1), "1=-3");
	EXPECT_STR(walk(s, LONGS, 0, +1, 0), "");
	EXPECT_STR(walk(s, LONGS, 0, -1, 100), "2=9 4=7 0=5 3=0 1=-3");
	EXPECT(store_iter_open(s, LONGS, 2, 1, -1) == NULL); // there is no second key
	EXPECT_NUM(store_clear(s, LONGS), 0);
}

static void test_change_while_walking(struct store *s)
{
	struct store_iter *it;
	int64_t key, value;

	for (int64_t i = 0; i < 4; i++)
		EXPECT_NUM(set(s, LONGS, i, i), 0);
	it = store_iter_open(s, LONGS, 1, +1, -1);
	EXPECT(store_iter_next(it, &key, &value) == 1 && key == 0 && value == 0);
	key = 1;
	EXPECT_NUM(store_delete(s, LONGS, &key), 0);
	EXPECT_NUM(set(s, LONGS, 2, 22), 0);
	EXPECT_NUM(set(s, LONGS, 5, 5), 0); // too late to be seen
	EXPECT(store_iter_next(it, &key, &value) == 1 && key == 2 && value == 22);
	EXPECT(store_iter_next(it, &key, &value) == 1 && key == 3 && value == 3);
	EXPECT(store_iter_next(it, &key, &value) == 0);
	EXPECT(store_iter_next(it, &key, &value) == 0);
	store_iter_close(it);
	it = store_iter_open(s, LONGS, 1, +1, -1);
	EXPECT_NUM(store_clear(s, LONGS), 0);
	EXPECT(store_iter_next(it, &key, &value) == 0);
	store_iter_close(it);
}

static void test_strings(struct store *s)
{
	static const char *const names[] = { "pear", "apple", "fig", "apple2" };
	char order[64] = "", value[16];
	struct pair_key pair;
	struct store_iter *it;
	int64_t key;

	for (int64_t i = 0; i < 4; i++) {
		struct pair_key k = { i / 2, "" };

		memcpy(k.name, names[i], strlen(names[i]));
		EXPECT_NUM(store_set(s, PAIRS, &k, &i), 0);
		EXPECT_NUM(store_set(s, NAMES, &i, k.name), 0);
	}
	it = store_iter_open(s, PAIRS, 2, +1, -1);
	while (store_iter_next(it, &pair, &key))
		snprintf(order + strlen(order), sizeof(order) - strlen(order), "%s,", pair.name);
	EXPECT_STR(order, "apple,apple2,fig,pear,");
	store_iter_close(it);
	order[0] = '\0';
	it = store_iter_open(s, NAMES, 0, -1, 3);
	while (store_iter_next(it, &key, value))
		snprintf(order + strlen(order), sizeof(order) - strlen(order), "%d:%s,", (int)key, value);
	EXPECT_STR(order, "0:pear,2:fig,3:apple2,");
	store_iter_close(it);
	EXPECT_NUM(store_clear(s, PAIRS), 0);
	EXPECT_NUM(store_clear(s, NAMES), 0);
}

// ---- only in this process -------------------------------------------------------------------------------------------

// Equal ones, and the unsorted, come in the order in which they were inserted.
static void test_stable(struct store *s)
{
	static const int64_t keys[] = { 7, 3, 9, 1, 5 };

	for (int i = 0; i < 5; i++)
		EXPECT_NUM(set(s, LONGS, keys[i], keys[i] == 9), 0);
	EXPECT_STR(walk(s, LONGS, 0, 0, -1), "7=0 3=0 9=1 1=0 5=0");
	EXPECT_STR(walk(s, LONGS, 0, +1, -1), "7=0 3=0 1=0 5=0 9=1");
	EXPECT_STR(walk(s, LONGS, 0, -1, -1), "9=1 7=0 3=0 1=0 5=0");
	EXPECT_STR(walk(s, LONGS, 0, -1, 3), "9=1 7=0 3=0");
	EXPECT_STR(walk(s, LONGS, 0, 0, 2), "7=0 3=0");
	EXPECT_NUM(store_clear(s, LONGS), 0);
}

static void test_wraps(struct store *s)
{
	for (int64_t i = 0; i < 1000; i++)
		EXPECT_NUM(set(s, WRAPS, i, i), 0);
	EXPECT_STR(walk(s, WRAPS, 0, 0, -1), "996=996 997=997 998=998 999=999");
	EXPECT_NUM(set(s, WRAPS, 996, 0), 0); // changing does not make it younger
	EXPECT_NUM(set(s, WRAPS, 1, 1), 0);
	EXPECT_STR(walk(s, WRAPS, 0, 0, -1), "997=997 998=998 999=999 1=1");
}

// Inserts and deletes at random, against a plain array.
static void test_random(struct store *s)
{
	enum { KEYS = 500 };
	int64_t model[KEYS];
	uint32_t seed = 1;

	memset(model, 0xff, sizeof(model));
	for (int i = 0; i < 200000; i++) {
		int64_t key, value;

		seed = seed * 1664525 + 1013904223;
		key = (seed >> 8 & 0xffff) % KEYS;
		value = seed >> 24;
		if (value < 100) {
			EXPECT_NUM(store_delete(s, MILLION, &key), 0);
			model[key] = -1;
		} else {
			EXPECT_NUM(set(s, MILLION, key, value), 0);
			model[key] = value;
		}
	}
	for (int64_t k = 0; k < KEYS; k++)
		EXPECT_NUM(get(s, MILLION, k), model[k] < 0 ? -1000 : model[k]);
	EXPECT_NUM(store_clear(s, MILLION), 0);
}

static void test_million(struct store *s)
{
	struct store_iter *it;
	int64_t key, value;
	double start = now(), took;
	int n = 0;

	for (int64_t i = 0; i < 1000000; i++)
		if (set(s, MILLION, i * 7919, i * 2654435761 % 1000003) != 0)
			EXPECT(false);
	EXPECT_NUM(set(s, MILLION, -1, 0), -E2BIG);
	printf("1,000,000 elements: insert %.3f s", now() - start);
	start = now();
	it = store_iter_open(s, MILLION, 0, -1, 10);
	for (int64_t last = INT64_MAX; store_iter_next(it, &key, &value); n++) {
		EXPECT(value <= last);
		last = value;
	}
	store_iter_close(it);
	EXPECT_NUM(n, 10);
	took = now() - start;
	printf(", first 10 in order %.3f s", took);
	EXPECT(took < 1.0);
	start = now();
	it = store_iter_open(s, MILLION, 0, +1, -1);
	n = 0;
	for (int64_t last = INT64_MIN; store_iter_next(it, &key, &value); n++) {
		if (value < last)
			EXPECT(false);
		last = value;
	}
	store_iter_close(it);
	EXPECT_NUM(n, 1000000);
	printf(", all in order %.3f s\n", now() - start);
	EXPECT_NUM(store_clear(s, MILLION), 0);
}

// ---- in the kernel --------------------------------------------------------------------------------------------------

static void test_kernel(const struct bundle *bundle)
{
	int fds[N_MAPS], none[N_MAPS];
	struct store_kernel kernel = { .map_fds = fds, .own_fds = none, .short_fds = none, .order.prog_fd = -1 };
	struct store *s;
	int64_t key, value;
	struct store_iter *it;
	double start;
	int n = 0;

	for (unsigned i = 0; i < N_MAPS; i++) {
		const struct sp_map *m = &bundle->maps[i];

		none[i] = -1;
		fds[i] = bpf_map_create(BPF_MAP_TYPE_HASH, NULL, m->key_size, m->value_size, m->max_entries, NULL);
		if (fds[i] < 0) {
			printf("no maps in the kernel here (%s): that part was left out\n", strerror(errno));
			return;
		}
	}
	s = store_create(bundle, &kernel);
	test_longs(s);
	test_full(s);
	test_order(s);
	test_change_while_walking(s);
	test_strings(s);
	for (int64_t i = 0; i < 300000; i++)
		if (set(s, MILLION, i, i) != 0)
			EXPECT(false);
	start = now();
	it = store_iter_open(s, MILLION, 0, -1, 10);
	for (; store_iter_next(it, &key, &value); n++)
		EXPECT_NUM(value, 299999 - n);
	store_iter_close(it);
	EXPECT_NUM(n, 10);
	printf("300,000 elements in the kernel: first 10 in order %.3f s\n", now() - start);
	store_destroy(s);
	for (unsigned i = 0; i < N_MAPS; i++)
		close(fds[i]);
}

int main(void)
{
	struct bundle *bundle = make_bundle();
	struct store *s = store_create(bundle, NULL);

	test_longs(s);
	test_full(s);
	test_order(s);
	test_change_while_walking(s);
	test_strings(s);
	test_stable(s);
	test_wraps(s);
	test_random(s);
	test_million(s);
	store_destroy(s);
	test_kernel(bundle);
	bundle_close(bundle);
	return expect_status();
}
