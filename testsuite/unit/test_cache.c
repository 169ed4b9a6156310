// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled scripts in the cache: what is damaged in any place is refused; inputs that have changed are seen.
#include "compiler/cache/lines.h"
#include "compiler/cache/result.h"
#include "compiler/cache/sums.h"

#include "expect.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t object[] = "an object of some bytes";

static void write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	EXPECT(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static bool is_read(const char *name)
{
	struct result result;
	char *why = NULL;
	bool ok = result_read(name, &result, &why);

	if (ok) {
		EXPECT(result.object_size == sizeof(object) && !memcmp(result.object, object, sizeof(object)));
		result_deinit(&result);
	} else {
		EXPECT(why);
	}
	free(why);
	return ok;
}

static struct inputs some_inputs(const char *home)
{
	const struct timespec tick = { .tv_nsec = 100000000 };
	struct inputs inputs;

	nanosleep(&tick, NULL); // a folder that was just changed is an obstacle
	inputs_init(&inputs);
	inputs_note(&inputs, INPUT_FILE, home);
	inputs_note(&inputs, INPUT_FILE, "/nonexistent/file");
	inputs_note(&inputs, INPUT_ENV, "TEST_CACHE");
	inputs_note(&inputs, INPUT_ENV, "TEST_CACHE");
	EXPECT_NUM((int)inputs.n, 3);
	EXPECT(!inputs.obstacle);
	return inputs;
}

// FIPS 180-4's "abc"; then whatever the processor has for it, beside the other way, for lengths around some blocks.
static void test_sums(void)
{
	static const uint8_t abc[] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea };
	uint8_t bytes[300], one[SP_SHA256_SIZE], other[SP_SHA256_SIZE];

	sums_sha256("abc", 3, one);
	EXPECT(!memcmp(one, abc, sizeof(abc)));
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + i / 7);
	for (size_t size = 0; size < sizeof(bytes) - 1; size++) {
		sums_sha256(bytes + 1, size, one);
		sp_sha256(bytes + 1, size, other);
		EXPECT(!memcmp(one, other, sizeof(one)));
	}
}

// Every bit of the file, and every length of it.
static void test_damage(const char *home)
{
	struct inputs inputs = some_inputs(home);
	struct sp_buf messages = { 0 };
	struct result result = { .title = "script.stp", .object = object, .object_size = sizeof(object) };
	struct result_key key = { "key", RESULT_ENDING };
	char path[300];
	struct cache_mapped file;

	result_add_message(&messages, SPILE_WARN, "one");
	result_add_message(&messages, RESULT_DIAG, "");
	result.inputs = (const uint8_t *)inputs.bytes.data;
	result.inputs_size = inputs.bytes.len;
	result.messages = (const uint8_t *)messages.data;
	result.messages_size = messages.len;
	EXPECT(!result_save(&key, &result));
	EXPECT(is_read("key.result"));
	EXPECT(!cache_map("key.result", &file));
	snprintf(path, sizeof(path), "%s/spile/broken.result", home);
	uint8_t *copy = memcpy(sp_malloc(file.size), file.bytes, file.size);
	for (size_t bit = 0; bit < 8 * file.size; bit++) {
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		write_file(path, copy, file.size);
		EXPECT(!is_read("broken.result"));
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t size = 1; size < file.size; size++) {
		write_file(path, copy, size);
		EXPECT(!is_read("broken.result"));
	}
	write_file(path, copy, file.size);
	EXPECT(is_read("broken.result"));
	free(copy);
	cache_unmap(&file);
	inputs_deinit(&inputs);
	sp_buf_deinit(&messages);
}

// Lists of inputs that are cut, or whose sizes lie, end without a read behind their end.
static void test_input_list(const char *home)
{
	struct inputs inputs = some_inputs(home);
	size_t size = inputs.bytes.len;

	for (size_t i = 0; i <= size; i++) {
		for (unsigned change = 0; change < 256; change += 17) {
			uint8_t *bytes = memcpy(sp_malloc(size), inputs.bytes.data, size); // so that sanitizers see its end
			const uint8_t *at = bytes;
			struct input input;

			if (i < size)
				bytes[i] = (uint8_t)change;
			while (input_next(&at, bytes + SP_MIN(i + 1, size), &input))
				EXPECT(input.value + input.size <= bytes + size);
			free(bytes);
		}
	}
	inputs_deinit(&inputs);
}

static unsigned n_held(const struct inputs *inputs)
{
	const uint8_t *at = (const uint8_t *)inputs->bytes.data, *end = at + inputs->bytes.len;
	struct input input;
	unsigned n = 0;

	while (input_next(&at, end, &input))
		n += input_holds(&input);
	EXPECT(at == end);
	return n;
}

static void test_changes(const char *home)
{
	struct inputs inputs = some_inputs(home);

	EXPECT_NUM(n_held(&inputs), 3);
	EXPECT(!setenv("TEST_CACHE", "", 1));
	EXPECT_NUM(n_held(&inputs), 2);
	EXPECT(!unsetenv("TEST_CACHE"));
	EXPECT_NUM(n_held(&inputs), 3);
	EXPECT(!chmod(home, 0750));
	EXPECT_NUM(n_held(&inputs), 2);
	EXPECT(!chmod(home, 0700));
	inputs_deinit(&inputs);
}

static void test_obstacles(const char *home)
{
	struct inputs inputs;
	char path[300];

	snprintf(path, sizeof(path), "%s/new", home);
	write_file(path, "x", 1);
	inputs_init(&inputs);
	inputs_note(&inputs, INPUT_FILE, "/proc/self/statm"); // tells nothing of the result
	EXPECT(!inputs.obstacle && !inputs.n);
	inputs_note(&inputs, INPUT_FILE, "/proc/1/status");
	EXPECT(inputs.obstacle && strstr(inputs.obstacle, "/proc/1/status took part"));
	inputs_deinit(&inputs);
	// A time in the future is never old enough.
	const struct timespec times[2] = { { .tv_sec = 1ll << 33 }, { .tv_sec = 1ll << 33 } };
	EXPECT(!utimensat(AT_FDCWD, path, times, 0));
	inputs_init(&inputs);
	inputs_note(&inputs, INPUT_FILE, path);
	EXPECT(inputs.obstacle && strstr(inputs.obstacle, "new was just changed"));
	inputs_deinit(&inputs);
}

// What was used last stays.
static void test_order(void)
{
	struct cache_list all = { 0 }, others = { 0 };

	cache_touch("key.result");
	EXPECT(!cache_each(NULL, &all) && all.n > 1);
	EXPECT_STR(all.v[all.n - 1].name, "key.result");
	EXPECT(!cache_each(".probes", &others) && !others.n);
	sp_vec_deinit(&all);
	EXPECT(!cache_remove("key.result"));
	EXPECT(!cache_remove("key.result"));
}

// The text of a listing, packed and unpacked, also from each part of its bytes and with each byte changed: nothing is read or written
// outside.
static void test_lines(void)
{
	static const char text[] = "one::a\none::abc\none\n\ntwo, which is longer than one hundred and twenty-eight bytes, so that its length takes "
				   "two bytes: ........................................................................\ntwo\n";
	struct sp_buf packed = { 0 }, again = { 0 };

	lines_pack(text, strlen(text), &packed);
	EXPECT(packed.len < strlen(text));
	EXPECT(lines_unpack((const uint8_t *)packed.data, packed.len, &again));
	EXPECT_STR(sp_buf_str(&again), text);
	for (size_t i = 0; i < packed.len; i++) {
		uint8_t *bytes = sp_malloc(packed.len);
		sp_buf_clear(&again);
		memcpy(bytes, packed.data, packed.len);
		lines_unpack(bytes, i, &again);
		bytes[i] ^= 0xff;
		sp_buf_clear(&again);
		lines_unpack(bytes, packed.len, &again);
		free(bytes);
	}
	sp_buf_clear(&again);
	EXPECT(!lines_unpack((const uint8_t *)"\1\0", 2, &again)); // longer than the line before
	sp_buf_deinit(&packed);
	sp_buf_deinit(&again);
}

int main(void)
{
	char home[] = "/tmp/spile-test-cache.XXXXXX", command[100];

	EXPECT(mkdtemp(home));
	EXPECT(!setenv("XDG_CACHE_HOME", home, 1));
	test_sums();
	test_damage(home);
	test_input_list(home);
	test_changes(home);
	test_obstacles(home);
	test_order();
	test_lines();
	snprintf(command, sizeof(command), "rm -r %s", home);
	EXPECT(!system(command));
	return expect_status();
}
