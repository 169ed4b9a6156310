// SPDX-License-Identifier: GPL-2.0-or-later
/** Small macros and inline functions that every folder uses. */
#ifndef SP_BASE_UTIL_H
#define SP_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SP_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/** Each argument is evaluated once. */
#define SP_MIN(a, b)                                                                               \
	({                                                                                         \
		__auto_type min_a_ = (a);                                                          \
		__auto_type min_b_ = (b);                                                          \
		min_a_ < min_b_ ? min_a_ : min_b_;                                                 \
	})
#define SP_MAX(a, b)                                                                               \
	({                                                                                         \
		__auto_type max_a_ = (a);                                                          \
		__auto_type max_b_ = (b);                                                          \
		max_a_ > max_b_ ? max_a_ : max_b_;                                                 \
	})
/** The first i of 0 to n - 1 for which the condition, which names it, is true, as it must be for all behind it; n: for none. */
#define sp_bisect(n, i, condition)                                                                 \
	({                                                                                         \
		__typeof__((n) + 0) low_ = 0, high_ = (n);                                         \
		while (low_ < high_) {                                                             \
			__typeof__(low_) i = low_ + (high_ - low_) / 2;                            \
			if (condition)                                                             \
				high_ = i;                                                         \
			else                                                                       \
				low_ = i + 1;                                                      \
		}                                                                                  \
		low_;                                                                              \
	})
#define SP_ALIGN_UP(x, to) (((x) + ((to)-1)) / (to) * (to))
#define SP_PRINTF(fmt_arg, first_arg) __attribute__((format(printf, fmt_arg, first_arg)))
#define SP_UNUSED __attribute__((unused))
/** Marks what the shared libraries export; all else is hidden. */
#define SP_EXPORT __attribute__((visibility("default")))

static inline bool sp_streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/** Is the text of `len` bytes, which no NUL has to end, this word? */
static inline bool sp_is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

bool sp_starts_with(const char *s, const char *prefix);
bool sp_ends_with(const char *s, const char *end);

/** Aborting allocators: memory exhaustion ends the process with a message (there is no better place to
 *  report it). All other failures travel as `struct sp_err *` or diagnostics. */
void *sp_malloc(size_t size);
void *sp_calloc(size_t count, size_t size);
void *sp_realloc(void *old, size_t size);
char *sp_strdup(const char *s);
/** What they do then. */
_Noreturn void sp_out_of_memory(void);
char *sp_strndup(const char *s, size_t len);

/** Shell-style match with `*`, `?` and `[...]` (with ranges, `!` or `^` negation, and backslash escapes).
 *  A text matches itself, whatever its brackets. Unlike fnmatch(3), needs no locale and is linear in practice. */
bool sp_glob_match(const char *pattern, const char *text);
/** True when `pattern` has a character that sp_glob_match treats specially. */
bool sp_has_glob(const char *pattern);

/** The first name of a list like "a, b", which becomes the rest of it; its length is in *len_ret. NULL: the list is at its end. */
const char *sp_list_next(const char **list, size_t *len_ret);
bool sp_list_has(const char *list, const char *name, size_t len);

/** Of the monotonic clock. */
uint64_t sp_now_ns(void);
/** The process or thread that an entry of /proc, or of a folder `task`, is about; 0: another entry. */
int sp_proc_entry(const char *name);

/** "5%" or "5" is 0.05. False: it is not a number above 0 and up to 100. */
bool sp_parse_percent(const char *text, double *ret);

/** Levenshtein distance, at most `limit` (returns limit + 1 when it is larger). For "did you mean". */
unsigned sp_edit_distance(const char *a, const char *b, unsigned limit);

#endif
