// SPDX-License-Identifier: GPL-2.0-or-later
// The index of a file has what its tokens may declare, in any branch of its conditions. Whether the file does declare it is seen
// when it is parsed. A file is indexed when somebody asks for a name that its filter of words may have. Files that library.index
// lists, which is made with the library, are not even read: the list has their names as long as they do not change. Making the
// list, reading it and asking it share the index, in one file of more than 600 lines.
#define _GNU_SOURCE // memrchr
#include "compiler/front/tapset.h"

#include "compiler/front/lex.h"
#include "compiler/front/macro.h"
#include "runtime/base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MAX_ENTRIES 20000u // of one -I, with all folders in it
#define MAX_DEPTH 16 // of folders; symbolic links may form a loop
#define INDEX_NAME "library.index" // sorted lines: "F NUMBER SIZE FILE", then "f NAME NUMBER", "g NAME NUMBER", "a FIRST.SECOND NUMBER"
#define WORD_BITS 8192 // a power of 2; a large file has 700 words

enum name_kind { NAME_FUNCTION, NAME_GLOBAL, NAME_ALIAS, NAME_KINDS };
static const char kind_letters[NAME_KINDS] = { 'f', 'g', 'a' }; // at the beginning of a line of the index

// A file of the library, or one that a more specific file hides.
struct library_file {
	const char *path;
	bool is_macros, is_loaded; // those of a file of macros
	unsigned rank; // of files with the same area and name the one with the highest rank is used
	off_t size;
	struct timespec changed;
	bool is_listed; // the library's index has what it declares
	bool is_read;
	uint32_t file;
	uint32_t index; // into tapset.files
	uint64_t *words; // the filter: a bit for each word in its code; different words may share a bit
	bool is_indexed;
	struct unit *unit; // NULL: not parsed yet
};

struct name_entry {
	bool has_listed; // the files of the library's index are among them
	SP_VEC(uint32_t) files; // indexes into tapset.files
	SP_VEC(struct unit *) units; // of these files, those that do define it
	bool resolved;
};

// The text of an index file, and which file each number is of; NULL: none, or one that is not as it was then.
struct library_index {
	const char *text, *end;
	SP_VEC(struct library_file *) files;
};

struct tapset {
	struct source_map *sources;
	struct diag_ctx *dc;
	struct parse_env env;
	struct sp_arena arena;
	const char *dir; // of -I, and how much of it was seen, while scanning
	unsigned n_entries;
	struct sp_hash by_key; // area and name -> struct library_file, while scanning
	SP_VEC(struct library_file *) files; // the scripts that are used, later folders first
	size_t n_to_index; // of these
	SP_VEC(struct library_index) indexes;
	struct sp_hash names[NAME_KINDS]; // -> struct name_entry; aliases by their first component
	struct sp_hash points; // aliases by "first.second" -> struct name_entry
	struct macro_library macros;
	struct sp_hash read_macros; // of the files that have been read -> struct library_macro
};

struct library_macro {
	struct macro *macro;
	unsigned rank; // of its file: of macros with one name, that of a later folder counts, whichever file is read first
};

// ---- folders ----

static bool is_architecture(const char *name)
{
	static const char *const names[] = { "x86_64", "i386", "arm", "arm64", "powerpc", "s390", "riscv", "mips",
					     "ia64", "loongarch" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++)
		if (sp_streq(name, names[i]))
			return true;
	return false;
}

// Is the release one of the version `name`? "6.12.3-1" is one of "6.12", "6.120" is not.
static bool is_version_of(const char *name, const char *release)
{
	size_t len = strlen(name);

	return release && !strncmp(name, release, len) && strchr(".-", release[len]);
}

static void add_file(struct tapset *t, const char *path, const char *key, unsigned rank, const struct stat *st)
{
	void **slot = sp_hash_insert(&t->by_key, key, strlen(key));
	struct library_file *file = *slot;

	if (file && file->rank > rank)
		return;
	if (!file)
		*slot = file = sp_arena_new(&t->arena, struct library_file);
	file->path = sp_arena_strdup(&t->arena, path);
	file->is_macros = sp_ends_with(path, ".stpm");
	file->rank = rank;
	file->size = st->st_size;
	file->changed = st->st_mtim;
}

static struct sp_err *scan_dir(struct tapset *t, const char *path, const char *area, unsigned rank, unsigned depth);

// Scans a folder. Its name is a kernel version, an architecture, or else that of an area: the same file name in two areas is two
// files.
static struct sp_err *scan_subdir(struct tapset *t, const char *path, const char *name, const char *area,
				  unsigned rank, unsigned depth)
{
	if (depth >= MAX_DEPTH || name[0] == '.')
		return NULL;
	if (name[0] >= '0' && name[0] <= '9')
		return is_version_of(name, t->env.kernel_release) ?
			       scan_dir(t, path, area, rank + 2 * strlen(name), depth + 1) : NULL;
	if (is_architecture(name))
		return t->env.arch && sp_streq(name, t->env.arch) ? scan_dir(t, path, area, rank + 1, depth + 1) : NULL;
	return scan_dir(t, path, sp_arena_printf(&t->arena, "%s%s/", area, name), rank, depth + 1);
}

static struct sp_err *scan_entry(struct tapset *t, const char *dir, const char *name, const char *area,
				 unsigned rank, unsigned depth)
{
	const char *path = sp_arena_printf(&t->arena, "%s/%s", dir, name);
	struct stat st;

	if (t->n_entries++ == MAX_ENTRIES)
		return sp_err_new(SP_ERR_USAGE, "-I %s is no folder of scripts: there are more than %u files and folders in it",
				  t->dir, MAX_ENTRIES);
	if (stat(path, &st) != 0)
		return NULL;
	if (S_ISDIR(st.st_mode))
		return scan_subdir(t, path, name, area, rank, depth);
	if (S_ISREG(st.st_mode) && (sp_ends_with(name, ".stp") || sp_ends_with(name, ".stpm")))
		add_file(t, path, sp_arena_printf(&t->arena, "%s%s", area, name), rank, &st);
	return NULL;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static struct sp_err *scan_dir(struct tapset *t, const char *path, const char *area, unsigned rank, unsigned depth)
{
	struct dirent **entries = NULL;
	struct sp_err *err = NULL;
	int n = scandir(path, &entries, is_visible, alphasort);

	if (n < 0)
		return errno == ENOENT || errno == ENOTDIR ? NULL : sp_err_errno(errno, "cannot read %s", path);
	for (int i = 0; i < n; i++) {
		if (!err)
			err = scan_entry(t, path, entries[i]->d_name, area, rank, depth);
		free(entries[i]);
	}
	free(entries);
	return err;
}

// ---- the index ----

static void add_name(struct tapset *t, enum name_kind kind, const char *name, size_t len, uint32_t index)
{
	void **slot = sp_hash_insert(&t->names[kind], name, len);
	struct name_entry *entry = *slot;

	if (!entry)
		*slot = entry = sp_arena_new(&t->arena, struct name_entry);
	if (!entry->files.n || sp_vec_last(&entry->files) != index)
		sp_vec_push(&entry->files, index);
}

// "global a, b[10]%, c = 3": a name follows the keyword and each comma.
static void index_globals(struct tapset *t, const struct token *v, uint32_t index)
{
	for (; v[0].kind != TOK_END; v++) {
		bool named = v[1].kind == TOK_NAME && (v[0].kind == TOK_GLOBAL || v[0].kind == TOK_COMMA);

		if (named)
			add_name(t, NAME_GLOBAL, v[1].text, v[1].len, index);
		else if (v[0].kind == TOK_PROBE || v[0].kind == TOK_FUNCTION || v[0].kind == TOK_PRIVATE ||
			 v[0].kind == TOK_LBRACE)
			return;
	}
}

// "probe NAME... =" before any "{" is an alias; "probe NAME... = NAME... =", two of them.
static void index_alias(struct tapset *t, const struct token *v, uint32_t index)
{
	const struct token *name = &v[1];

	if (name->kind == TOK_END)
		return;
	for (v++; v->kind != TOK_END && v->kind != TOK_LBRACE && v->kind != TOK_PROBE; v++) {
		if (v->kind == TOK_SET || v->kind == TOK_ADD_SET) {
			add_name(t, NAME_ALIAS, name->text, name->len, index);
			name = &v[1];
		}
	}
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The bit of the word that begins at `text`; *ret: where the word ends.
static uint32_t word_bit(const char *text, const char **ret)
{
	uint32_t hash = 0;

	for (; is_word(*text); text++)
		hash = (hash ^ (unsigned char)*text) * 0x9e3779b1u;
	*ret = text;
	return hash >> 7 & (WORD_BITS - 1);
}

// The end of the comment, string or embedded C that begins at `at`; NULL: none begins there. The text ends with a NUL.
static const char *skip_words(const char *at)
{
	bool is_embedded = at[0] == '%' && at[1] == '{';
	const char *end;

	if (at[0] == '#' || (at[0] == '/' && at[1] == '/'))
		return (end = strchr(at, '\n')) ? end : at + strlen(at);
	if ((at[0] == '/' && at[1] == '*') || is_embedded)
		return (end = strstr(at + 2, is_embedded ? "%}" : "*/")) ? end + 2 : at + strlen(at);
	if (at[0] != '"')
		return NULL;
	for (at++; *at && *at != '"' && *at != '\n'; at++)
		at += at[0] == '\\' && at[1];
	return at + (*at == '"');
}

static void note_words(struct tapset *t, struct library_file *file)
{
	const char *at = source_file(t->sources, file->file)->text, *next;

	file->words = sp_arena_array(&t->arena, uint64_t, WORD_BITS / 64);
	while (*at) {
		if (is_word(*at)) {
			uint32_t bit = word_bit(at, &at);
			file->words[bit / 64] |= UINT64_C(1) << bit % 64;
		} else {
			bool is_count = (*at == '$' || *at == '@') && at[1] == '#'; // $# and @#: not a comment
			at = is_count ? at + 2 : (next = skip_words(at)) ? next : at + 1;
		}
	}
}

static struct sp_err *read_library_file(struct tapset *t, struct library_file *file)
{
	if (!file->is_read)
		SP_TRY(source_read(t->sources, file->path, file->is_macros ? SOURCE_MACROS : SOURCE_TAPSET, &file->file));
	file->is_read = true;
	return NULL;
}

static void index_file(struct tapset *t, uint32_t index)
{
	struct library_file *file = t->files.v[index];
	struct token_list tokens = { 0 };
	struct sp_arena texts = { 0 };
	unsigned depth = 0;

	file->is_indexed = true;
	t->n_to_index--;
	lex_file(t->sources, file->file, &texts, NULL, &tokens);
	for (size_t i = 0; i < tokens.n; i++) {
		const struct token *token = &tokens.v[i];
		bool is_private = i > 0 && tokens.v[i - 1].kind == TOK_PRIVATE;

		// Braces need not balance over the branches of conditions.
		if (token->starts_line && (token->kind == TOK_PROBE || token->kind == TOK_FUNCTION ||
					   token->kind == TOK_GLOBAL || token->kind == TOK_PRIVATE))
			depth = 0;
		if (token->kind == TOK_LBRACE)
			depth++;
		else if (token->kind == TOK_RBRACE && depth)
			depth--;
		if (depth || is_private)
			continue;
		if (token->kind == TOK_FUNCTION && token[1].kind == TOK_NAME)
			add_name(t, NAME_FUNCTION, token[1].text, token[1].len, index);
		else if (token->kind == TOK_GLOBAL)
			index_globals(t, token, index);
		else if (token->kind == TOK_PROBE)
			index_alias(t, token, index);
	}
	token_list_deinit(&tokens);
	sp_arena_deinit(&texts);
}

// Indexes the files whose filter has the name; NULL: all files.
static void index_files_with(struct tapset *t, const char *name)
{
	const char *end;
	uint32_t bit = name ? word_bit(name, &end) : 0;

	for (size_t i = 0; t->n_to_index && i < t->files.n; i++)
		if (!t->files.v[i]->is_indexed && (!name || t->files.v[i]->words[bit / 64] >> bit % 64 & 1))
			index_file(t, (uint32_t)i);
}

// ---- the index that was made with the library ----

static bool is_older(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec <= b.tv_nsec;
}

// The line "F NUMBER SIZE FILE" at `line`: FILE is below the index's folder, or "../FOLDER/FILE" below one beside it.
static void note_listed(struct tapset *t, struct library_index *index, const char *line, const char *dir, struct timespec made)
{
	char *at;
	unsigned long number = strtoul(line + 2, &at, 10);
	long long size = strtoll(at, &at, 10);
	const char *name, *key, *path, *slash = strrchr(dir, '/');
	struct library_file *file;

	if (*at != ' ' || number != index->files.n)
		return;
	key = name = sp_arena_strndup(&t->arena, at + 1, strcspn(at + 1, "\n"));
	path = sp_arena_printf(&t->arena, "%s/%s", dir, name);
	if (sp_starts_with(name, "../")) {
		path = sp_arena_printf(&t->arena, "%.*s%s", slash ? (int)(slash + 1 - dir) : 0, dir, name + 3);
		key = strchr(name + 3, '/') ? strchr(name + 3, '/') + 1 : "";
	}
	file = sp_hash_get(&t->by_key, key);
	if (file && (!sp_streq(file->path, path) || file->size != size || !is_older(file->changed, made)))
		file = NULL;
	if (file)
		file->is_listed = true;
	sp_vec_push(&index->files, file);
}

// Without the file the library's files are looked through themselves.
static void read_index(struct tapset *t, const char *dir)
{
	const char *path = sp_arena_printf(&t->arena, "%s/" INDEX_NAME, dir);
	sp_cleanup_fclose FILE *f = fopen(path, "re");
	struct library_index index = { 0 };
	struct stat st;
	char *text;

	if (!f || fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode))
		return;
	text = sp_arena_alloc(&t->arena, (size_t)st.st_size + 1);
	if (fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		return;
	text[st.st_size] = '\0';
	index.text = text;
	index.end = text + st.st_size;
	while (index.text[0] == 'F' && index.text[1] == ' ' && strchr(index.text, '\n')) {
		note_listed(t, &index, index.text, dir, st.st_mtim);
		index.text = strchr(index.text, '\n') + 1;
	}
	sp_vec_push(&t->indexes, index);
}

// The first line that is not before `key` in the order of bytes.
static const char *first_line(const struct library_index *index, const char *key)
{
	const char *low = index->text, *high = index->end; // beginnings of lines
	size_t len = strlen(key);

	while (low < high) {
		const char *middle = low + (high - low) / 2, *line = memrchr(low, '\n', (size_t)(middle - low));

		middle = line ? line + 1 : low;
		if (strncmp(middle, key, len) < 0) {
			const char *next = strchr(middle, '\n');
			low = next ? next + 1 : high;
		} else {
			high = middle;
		}
	}
	return low;
}

// Calls `fn` for the files of the lines that begin with the kind's letter, a blank, the name and `end`.
static void each_listed(struct tapset *t, char letter, const char *name, const char *end, void (*fn)(void *ctx, struct library_file *file),
			void *ctx)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };

	sp_buf_putc(&key, letter);
	sp_buf_putc(&key, ' ');
	sp_buf_puts(&key, name);
	sp_buf_puts(&key, end);
	sp_vec_each(index, &t->indexes) {
		const char *line = first_line(index, sp_buf_str(&key));

		for (; line && *line && !strncmp(line, sp_buf_str(&key), key.len); line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
			const char *blank = strchr(line + 2, ' ');
			unsigned long number = blank ? strtoul(blank, NULL, 10) : ULONG_MAX;

			if (number < index->files.n && index->files.v[number])
				fn(ctx, index->files.v[number]);
		}
	}
}

static void add_to_entry(void *ctx, struct library_file *file)
{
	struct name_entry *entry = ctx;

	sp_vec_push(&entry->files, file->index);
}

static void add_listed(struct tapset *t, struct name_entry *entry, char letter, const char *name, const char *end)
{
	each_listed(t, letter, name, end, add_to_entry, entry);
}

// ---- macros ----

static struct sp_err *load_macros(struct tapset *t, struct library_file *file)
{
	struct parse_env env = t->env;
	struct sp_hash macros = { 0 };

	if (file->is_loaded)
		return NULL;
	file->is_loaded = true;
	SP_TRY(read_library_file(t, file));
	env.macros = NULL;
	macro_load(t->sources, file->file, &env, &t->arena, t->dc, &macros);
	sp_hash_each(entry, &macros) {
		void **slot = sp_hash_insert(&t->read_macros, entry->key, strlen(entry->key));
		struct library_macro *known = *slot;

		if (!known)
			*slot = known = sp_arena_new(&t->arena, struct library_macro);
		if (known->rank <= file->rank)
			*known = (struct library_macro){ entry->value, file->rank };
	}
	sp_hash_deinit(&macros);
	return NULL;
}

// A file that was listed and cannot be read now has no macros.
static void load_listed(void *ctx, struct library_file *file)
{
	sp_err_free(load_macros(ctx, file));
}

static void read_macros(void *ctx, const char *name)
{
	struct tapset *t = ctx;
	struct library_macro *macro;

	if (name) {
		each_listed(t, 'm', name, " ", load_listed, t);
		macro = sp_hash_get(&t->read_macros, name);
		*sp_hash_insert(&t->macros.macros, name, strlen(name)) = macro ? macro->macro : NULL;
		return;
	}
	sp_hash_each(entry, &t->by_key)
		if (((struct library_file *)entry->value)->is_macros)
			load_listed(t, entry->value);
	sp_hash_each(entry, &t->read_macros)
		*sp_hash_insert(&t->macros.macros, entry->key, strlen(entry->key)) = ((struct library_macro *)entry->value)->macro;
}

static struct sp_err *load(struct tapset *t)
{
	sp_hash_each(entry, &t->by_key) {
		struct library_file *file = entry->value;

		if (!file->is_macros)
			sp_vec_push(&t->files, file);
		if (!file->is_listed)
			SP_TRY(file->is_macros ? load_macros(t, file) : read_library_file(t, file));
	}
	return NULL;
}

// Later folders first, then by name: the order in which overloads are tried must not depend on the file system.
static int compare_files(const void *a, const void *b)
{
	const struct library_file *x = *(struct library_file *const *)a, *y = *(struct library_file *const *)b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return strcmp(x->path, y->path);
}

struct sp_err *tapset_open(struct source_map *sources, const char *const *dirs, unsigned n_dirs,
			   const struct parse_env *env, struct diag_ctx *dc, struct tapset **ret)
{
	struct tapset *t = sp_calloc(1, sizeof(*t));
	struct sp_err *err = NULL;

	t->sources = sources;
	t->dc = dc;
	t->env = *env;
	t->env.macros = &t->macros;
	t->macros.read = read_macros;
	t->macros.ctx = t;
	for (unsigned i = 0; i < n_dirs && !err; i++) {
		t->dir = dirs[i];
		t->n_entries = 0;
		err = scan_dir(t, dirs[i], "", (i + 1) << 16, 0);
	}
	for (unsigned i = 0; i < n_dirs && !err; i++)
		read_index(t, dirs[i]);
	if (!err)
		err = load(t);
	if (err) {
		tapset_close(t);
		return err;
	}
	if (t->files.n)
		qsort(t->files.v, t->files.n, sizeof(*t->files.v), compare_files);
	for (size_t i = 0; i < t->files.n; i++) {
		t->files.v[i]->index = (uint32_t)i;
		t->files.v[i]->is_indexed = t->files.v[i]->is_listed;
		if (t->files.v[i]->is_listed)
			continue;
		t->n_to_index++;
		note_words(t, t->files.v[i]);
	}
	*ret = t;
	return NULL;
}

static void entries_deinit(struct sp_hash *hash)
{
	sp_hash_each(entry, hash) {
		struct name_entry *name = entry->value;

		sp_vec_deinit(&name->files);
		sp_vec_deinit(&name->units);
	}
	sp_hash_deinit(hash);
}

void tapset_close(struct tapset *t)
{
	if (!t)
		return;
	for (int kind = 0; kind < NAME_KINDS; kind++)
		entries_deinit(&t->names[kind]);
	entries_deinit(&t->points);
	sp_vec_each(index, &t->indexes)
		sp_vec_deinit(&index->files);
	sp_vec_deinit(&t->indexes);
	for (size_t i = 0; i < t->files.n; i++)
		unit_destroy(t->files.v[i]->unit);
	sp_vec_deinit(&t->files);
	sp_hash_deinit(&t->by_key);
	sp_hash_deinit(&t->macros.macros);
	sp_hash_deinit(&t->read_macros);
	sp_arena_deinit(&t->arena);
	free(t);
}

unsigned tapset_n_files(const struct tapset *tapset)
{
	return tapset->files.n;
}

struct macro_library *tapset_macros(struct tapset *tapset)
{
	return &tapset->macros;
}

// ---- look-ups ----

static bool defines(const struct unit *unit, enum name_kind kind, const char *name)
{
	if (kind == NAME_FUNCTION)
		for (unsigned i = 0; i < unit->n_functions; i++)
			if (sp_streq(unit->functions[i]->name, name))
				return true;
	if (kind == NAME_GLOBAL)
		for (unsigned i = 0; i < unit->n_globals; i++)
			if (sp_streq(unit->globals[i]->name, name))
				return true;
	if (kind == NAME_ALIAS)
		for (unsigned i = 0; i < unit->n_aliases; i++)
			for (unsigned k = 0; k < unit->aliases[i]->names.n; k++)
				if (sp_streq(unit->aliases[i]->names.v[k]->parts[0].name, name))
					return true;
	return false;
}

// NULL: the file has gone since.
static struct unit *parsed(struct tapset *t, struct library_file *file)
{
	struct sp_err *err = read_library_file(t, file);

	if (!file->unit && !err)
		file->unit = parse_file(t->sources, file->file, &t->env, t->dc);
	sp_err_free(err);
	return file->unit;
}

static int compare_indexes(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

// Parses the files of an entry, once, and keeps the units that do define `name`.
static unsigned resolve(struct tapset *t, struct name_entry *entry, enum name_kind kind, const char *name, struct unit ***ret)
{
	if (!entry->resolved && entry->files.n) // the files were indexed in any order
		qsort(entry->files.v, entry->files.n, sizeof(*entry->files.v), compare_indexes);
	for (size_t i = 0; i < entry->files.n && !entry->resolved; i++) {
		struct unit *unit = i && entry->files.v[i] == entry->files.v[i - 1] ? NULL : parsed(t, t->files.v[entry->files.v[i]]);

		if (unit && defines(unit, kind, name))
			sp_vec_push(&entry->units, unit);
	}
	entry->resolved = true;
	*ret = entry->units.v;
	return entry->units.n;
}

// The entry of a name; it is made when there is none yet, with the files of the lines of library.index that tell of it.
static struct name_entry *look_up(struct tapset *t, struct sp_hash *names, char letter, const char *name, const char *end)
{
	void **slot = sp_hash_insert(names, name, strlen(name));
	struct name_entry *entry = *slot;

	if (!entry)
		*slot = entry = sp_arena_new(&t->arena, struct name_entry);
	if (!entry->has_listed)
		add_listed(t, entry, letter, name, end);
	entry->has_listed = true;
	return entry;
}

static struct name_entry *look_up_name(struct tapset *t, enum name_kind kind, const char *name)
{
	return look_up(t, &t->names[kind], kind_letters[kind], name, kind == NAME_ALIAS ? "." : " ");
}

static unsigned find(struct tapset *t, enum name_kind kind, const char *name, struct unit ***ret)
{
	index_files_with(t, name);
	return resolve(t, look_up_name(t, kind, name), kind, name, ret);
}

unsigned tapset_find_function(struct tapset *tapset, const char *name, struct unit ***ret)
{
	return find(tapset, NAME_FUNCTION, name, ret);
}

unsigned tapset_find_global(struct tapset *tapset, const char *name, struct unit ***ret)
{
	return find(tapset, NAME_GLOBAL, name, ret);
}

// Files that the index does not have tell of an alias's first component alone.
unsigned tapset_find_alias(struct tapset *tapset, const char *first, const char *second, struct unit ***ret)
{
	struct name_entry *entry, *unlisted;
	const char *point;

	if (!second || strpbrk(second, "*?["))
		return find(tapset, NAME_ALIAS, first, ret);
	index_files_with(tapset, first);
	point = sp_arena_printf(&tapset->arena, "%s.%s", first, second);
	entry = sp_hash_get(&tapset->points, point);
	if (!entry) {
		entry = look_up(tapset, &tapset->points, 'a', point, " ");
		add_listed(tapset, entry, 'a', first, ". ");
		unlisted = sp_hash_get(&tapset->names[NAME_ALIAS], first);
		for (size_t i = 0; unlisted && i < unlisted->files.n; i++)
			if (!tapset->files.v[unlisted->files.v[i]]->is_listed)
				sp_vec_push(&entry->files, unlisted->files.v[i]);
	}
	return resolve(tapset, entry, NAME_ALIAS, first, ret);
}

unsigned tapset_all(struct tapset *tapset, struct unit ***ret)
{
	unsigned n = 0;

	*ret = sp_calloc(tapset->files.n + 1, sizeof(**ret));
	for (size_t i = 0; i < tapset->files.n; i++) {
		struct unit *unit = parsed(tapset, tapset->files.v[i]);

		if (unit)
			(*ret)[n++] = unit;
	}
	return n;
}

// Names that somebody has asked for in vain have no files.
static void each(struct tapset *t, enum name_kind kind, void (*fn)(void *ctx, const char *name), void *ctx)
{
	const char *end = kind == NAME_ALIAS ? ". " : " ", *key = kind == NAME_ALIAS ? "a " : "f ";

	index_files_with(t, NULL);
	sp_vec_each(index, &t->indexes)
		for (const char *line = first_line(index, key); line && !strncmp(line, key, 2); line = strchr(line, '\n') + 1)
			look_up_name(t, kind, sp_arena_strndup(&t->arena, line + 2, strcspn(line + 2, end)));
	sp_hash_each(entry, &t->names[kind])
		if (((struct name_entry *)entry->value)->files.n) // what was asked for and is nowhere has an entry, too
			fn(ctx, entry->key);
}

void tapset_each_function(struct tapset *tapset, void (*fn)(void *ctx, const char *name), void *ctx)
{
	each(tapset, NAME_FUNCTION, fn, ctx);
}

void tapset_each_alias(struct tapset *tapset, void (*fn)(void *ctx, const char *name), void *ctx)
{
	each(tapset, NAME_ALIAS, fn, ctx);
}
