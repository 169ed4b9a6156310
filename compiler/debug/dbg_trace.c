// SPDX-License-Identifier: GPL-2.0-or-later
// Kernel tracepoints. In BTF each has a type btf_trace_NAME and a function __traceiter_NAME, whose prototype also names the
// arguments. The events of one class share a record. Which class and system an event has is said by tracefs, and by the
// structures trace_event_call and trace_event_class in the kernel image.
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_tracefs.h"
#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include "runtime/base/cleanup.h"

#include <bpf/btf.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

struct finder {
	struct dbg_module *kernel; // or the module whose tracepoints are looked for
	struct btf_file *btf;
	struct sp_arena *arena;
	int tracefs; // -1: none
	struct dbg_impl *known; // caches tracepoints
	const struct sp_hash *events; // of the kernel, its modules' too
	SP_VEC(struct dbg_tracepoint *) found;
};

static const char iterator_prefix[] = "__traceiter_";
static const char typedef_prefix[] = "btf_trace_";

// The BTF id of the prototype that btf_trace_NAME is a pointer to; 0: broken BTF.
static uint32_t typedef_proto(const struct btf *btf, const struct btf_type *type)
{
	const struct btf_type *pointer = btf__type_by_id(btf, type->type);
	const struct btf_type *proto = pointer && btf_is_ptr(pointer) ? btf__type_by_id(btf, pointer->type) : NULL;
	return proto && btf_is_func_proto(proto) ? pointer->type : 0;
}

// Finds the tracepoints in one pass over BTF. The prototype of __traceiter_NAME is preferred to that of btf_trace_NAME: it has
// the arguments' names.
static void collect(struct finder *f)
{
	struct btf *btf = btf_file_raw(f->btf);

	for (uint32_t id = btf_file_first(f->btf); id < btf__type_cnt(btf); id++) {
		const struct btf_type *raw = btf__type_by_id(btf, id);
		bool is_func = btf_is_func(raw);
		if (!is_func && !btf_is_typedef(raw))
			continue;
		const char *prefix = is_func ? iterator_prefix : typedef_prefix;
		const char *name = btf_file_text(btf, raw->name_off);
		if (!sp_starts_with(name, prefix))
			continue;
		name += strlen(prefix);
		uintptr_t proto = is_func ? raw->type : typedef_proto(btf, raw);
		if (proto && (is_func || !sp_hash_get(&f->known->tracepoints, name)))
			sp_hash_set(&f->known->tracepoints, name, (void *)proto);
	}
}

static void add_args(struct finder *f, uint32_t proto, struct dbg_tracepoint *point)
{
	const struct c_type *type = dbg_complete_type(btf_type_of(f->btf, proto));

	// The first parameter is the void *data that whoever registers with the tracepoint passes; no argument of the event.
	if (!type || type->kind != C_FUNC || type->n_members < 1)
		return;
	point->n_args = type->n_members - 1;
	point->args = sp_arena_memdup(f->arena, type->members + 1, point->n_args * sizeof(*point->args));
	for (unsigned i = 0; i < point->n_args; i++)
		point->args[i].bit_off = i * 64;
}

// The pointer that the kernel image holds at `addr`.
static bool read_pointer(struct finder *f, uint64_t addr, uint64_t *ret)
{
	const void *bytes = dw_file_bytes(dbg_impl(f->kernel)->file, addr, 8);

	if (bytes)
		memcpy(ret, bytes, 8);
	return bytes;
}

static bool member_at(struct finder *f, const char *structure, const char *member, uint64_t addr, uint64_t *ret)
{
	const struct c_type *type = dbg_complete_type(btf_type_find(f->btf, C_STRUCT, structure));
	uint64_t bit_off;

	return type && c_type_member(type, member, &bit_off) && read_pointer(f, addr + bit_off / 8, ret);
}

static void note_event_symbol(struct dbg_impl *impl, const struct dw_sym *sym)
{
	static const char call[] = "event_", class[] = "event_class_";
	void **place;

	if (sp_starts_with(sym->name, class)) {
		place = sp_hash_insert(&impl->event_classes, &sym->addr, sizeof(sym->addr));
		*place = *place ? *place : (void *)(sym->name + strlen(class));
	} else if (sp_starts_with(sym->name, call)) {
		place = sp_hash_insert(&impl->event_calls, sym->name + strlen(call), strlen(sym->name + strlen(call)));
		*place = *place ? *place : (void *)(uintptr_t)sym->addr;
	}
}

// In one pass: a kernel has 1,400 events, and 200,000 symbols.
static void note_event_symbols(struct dbg_impl *impl)
{
	struct dw_sym sym;

	if (impl->knows_event_symbols)
		return;
	impl->knows_event_symbols = true;
	for (size_t pos = 0; dw_sym_next(impl->file, &pos, &sym);)
		note_event_symbol(impl, &sym);
}

// The system and the class of an event, from the kernel image: symbol event_NAME is a struct trace_event_call, which points to
// the class; the class has a symbol event_class_CLASS, and the record is named after that CLASS.
static void describe_offline(struct finder *f, const char *name, const char **system_ret, const char **class_ret)
{
	struct dbg_impl *impl = dbg_impl(f->kernel);
	uint64_t call, class, system;
	void **known;

	if (!impl->file)
		return;
	note_event_symbols(impl);
	call = (uintptr_t)sp_hash_get(&impl->event_calls, name);
	if (!call || !member_at(f, "trace_event_call", "class", call, &class))
		return;
	if (member_at(f, "trace_event_class", "system", class, &system)) {
		const char *s = dw_file_bytes(impl->file, system, 1);
		// A broken pointer need not point to a string: names of systems have some 20 letters at most.
		if (s && dw_file_bytes(impl->file, system, 64) && memchr(s, 0, 64))
			*system_ret = sp_arena_strdup(f->arena, s);
	}
	known = sp_hash_find(&impl->event_classes, &class, sizeof(class));
	if (known)
		*class_ret = *known;
}

static const struct c_type *make_type(struct finder *f, const struct c_type *as)
{
	return sp_arena_memdup(f->arena, as, sizeof(*as));
}

static const struct c_type *array_of(struct finder *f, const struct c_type *element, uint64_t count)
{
	struct c_type type = {
		.kind = C_ARRAY,
		.target = element,
		.count = count,
		.size = element ? count * element->size : 0,
		.is_complete = true,
	};
	return make_type(f, &type);
}

// "const char *const *" is "char **".
static const char *without_const(struct finder *f, const char *type)
{
	char *ret = sp_arena_strdup(f->arena, type), *to = ret;

	for (const char *at = type; *at;) {
		bool is_word = at == type || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

		if (is_word && sp_starts_with(at, "const") && (at[5] == ' ' || !at[5])) {
			at += at[5] ? 6 : 5;
			continue;
		}
		if (*at == ' ' && to > ret && to[-1] == '*') { // between asterisks
			at++;
			continue;
		}
		*to++ = *at++;
	}
	*to = '\0';
	return ret;
}

// The type of a field, which a format file gives as C text. When BTF has no such type, or one of another size, the field is an
// integer of the size and sign that the file gives.
static const struct c_type *field_type(struct finder *f, const struct dbg_event_field *field)
{
	bool is_element = field->is_array && !field->is_data_loc;
	uint64_t size = is_element && field->count ? field->size / field->count : field->size;
	const struct c_type *type = dbg_find_type(f->kernel, without_const(f, field->type));
	struct c_type integer = {
		.kind = C_INT,
		.name = field->type,
		.size = size,
		.is_signed = field->is_signed,
		.is_char = strstr(field->type, "char") != NULL,
		.is_complete = true,
	};

	if (field->is_data_loc)
		return array_of(f, type ? type : (integer.size = 1, make_type(f, &integer)), 0);
	// A system call's argument has 8 bytes in the record whatever its type: an int is in the low 4 of them.
	if (type && !field->is_array && type->size && type->size < size && c_type_is_scalar(type))
		return type;
	if (!type || (type->size != size && size))
		type = make_type(f, &integer);
	return field->is_array ? array_of(f, type, field->count) : type;
}

static void fields_from_tracefs(struct finder *f, struct dbg_tracepoint *point)
{
	struct dbg_event_field *fields;
	unsigned n = dbg_tracefs_fields(f->tracefs, f->arena, point->system, point->name, &fields);

	point->fields = sp_arena_array(f->arena, struct dbg_trace_field, n);
	point->n_fields = n;
	for (unsigned i = 0; i < n; i++) {
		point->fields[i] = (struct dbg_trace_field){
			.name = fields[i].name,
			.type = field_type(f, &fields[i]),
			.offset = fields[i].offset,
			.size = fields[i].size,
			.is_data_loc = fields[i].is_data_loc,
		};
	}
}

// struct trace_event_raw_CLASS { struct trace_entry ent; fields...; char __data[]; }
static void fields_from_struct(struct finder *f, struct dbg_tracepoint *point)
{
	static const char data_loc[] = "__data_loc_";
	static const struct c_type character = {
		.kind = C_INT, .name = "char", .size = 1, .is_signed = true, .is_char = true, .is_complete = true,
	};
	const struct c_type *record =
		dbg_complete_type(btf_type_find(f->btf, C_STRUCT, point->record + strlen("struct ")));

	if (!record)
		return;
	point->fields = sp_arena_array(f->arena, struct dbg_trace_field, record->n_members);
	for (unsigned i = 0; i < record->n_members; i++) {
		const struct c_member *member = &record->members[i];
		const struct c_type *type = c_type_strip(member->type);
		if (!member->name || !type || member->bit_size || sp_streq(member->name, "ent") ||
		    sp_streq(member->name, "__data"))
			continue;
		bool is_data_loc = sp_starts_with(member->name, data_loc);
		point->fields[point->n_fields++] = (struct dbg_trace_field){
			.name = member->name + (is_data_loc ? sizeof(data_loc) - 1 : 0),
			.type = is_data_loc ? array_of(f, &character, 0) : member->type,
			.offset = member->bit_off / 8,
			.size = type->size,
			.is_data_loc = is_data_loc,
		};
	}
}

// Does a tracepoint belong to the wanted system? Its system is not known (NULL) when it has no event, or when tracefs cannot be
// read. Then an exact name fits every system, and a pattern's match fits when it begins with the system: sched_switch, "sched".
static bool system_fits(const char *wanted, const char *system, const char *pattern, const char *name)
{
	size_t len = wanted ? strlen(wanted) : 0;

	if (!wanted || system)
		return !wanted || sp_glob_match(wanted, system);
	return !sp_has_glob(pattern) || sp_streq(wanted, "*") || (strncmp(name, wanted, len) == 0 && name[len] == '_');
}

static void add_point(struct finder *f, const char *wanted_system, const char *pattern, const char *name, uint32_t proto)
{
	struct dbg_tracepoint point = { .name = sp_arena_strdup(f->arena, name), .module = f->kernel };
	const char *class = point.name;

	point.system = sp_hash_get(f->events, name);
	if (!point.system)
		describe_offline(f, name, &point.system, &class);
	if (!system_fits(wanted_system, point.system, pattern, name))
		return;
	add_args(f, proto, &point);
	if (f->tracefs >= 0 && point.system)
		fields_from_tracefs(f, &point);
	point.record = sp_arena_printf(f->arena, "struct trace_event_raw_%s", class);
	if (point.n_fields == 0)
		fields_from_struct(f, &point);
	sp_vec_push(&f->found, sp_arena_memdup(f->arena, &point, sizeof(point)));
}

// Adds the events of the running kernel that have no tracepoint in its BTF: those of system calls, which share sys_enter and
// sys_exit, and those of modules that have no BTF.
static void add_events(struct finder *f, const char *wanted_system, const char *pattern)
{
	bool all_tracepoints = !wanted_system && sp_streq(pattern, "*");

	sp_hash_each(it, f->events) {
		struct dbg_tracepoint point = {
			.system = it->value, .name = it->key, .module = f->kernel, .is_event_only = true
		};

		// The records of the function tracer ("ftrace") are no events that can be probed.
		if (all_tracepoints || !sp_glob_match(pattern, it->key) || (wanted_system && !sp_glob_match(wanted_system, point.system)) ||
		    sp_streq(point.system, "ftrace") || sp_hash_get(&f->known->tracepoints, it->key) ||
		    sp_hash_get(&f->known->module_tracepoints, it->key))
			continue;
		point.name = sp_arena_strdup(f->arena, it->key);
		fields_from_tracefs(f, &point);
		if (point.n_fields)
			sp_vec_push(&f->found, sp_arena_memdup(f->arena, &point, sizeof(point)));
	}
}

// ---- events of system calls, without tracefs: the kernel image has a struct syscall_metadata of each call -------------------

#define MAX_CALL_ARGS 6

// The text that the kernel image has at `addr`; NULL: none of a sensible length.
static const char *text_at(struct finder *f, uint64_t addr)
{
	for (size_t room = 256; room; room /= 4) {
		const char *text = dw_file_bytes(dbg_impl(f->kernel)->file, addr, room);

		if (text)
			return memchr(text, 0, room) ? sp_arena_strdup(f->arena, text) : NULL;
	}
	return NULL;
}

static const char *text_of_member(struct finder *f, const char *member, unsigned index, uint64_t metadata)
{
	uint64_t texts, text;

	return member_at(f, "syscall_metadata", member, metadata, &texts) && read_pointer(f, texts + index * 8, &text) ? text_at(f, text) :
															 NULL;
}

static void add_call_field(struct finder *f, struct dbg_tracepoint *point, const char *type, const char *name, uint32_t offset, uint32_t size)
{
	const struct dbg_event_field field = { .type = type, .name = name, .size = size, .is_signed = size == 4 || sp_streq(type, "long") };

	point->fields[point->n_fields++] = (struct dbg_trace_field){ .name = name, .type = field_type(f, &field), .offset = offset, .size = size };
}

// The records are struct syscall_trace_enter { struct trace_entry ent; int nr; unsigned long args[]; } and syscall_trace_exit.
static void add_call(struct finder *f, uint64_t metadata, const char *call, bool is_enter)
{
	const struct c_type *type = dbg_complete_type(btf_type_find(f->btf, C_STRUCT, "syscall_metadata"));
	struct dbg_tracepoint point = { .system = "syscalls", .module = f->kernel, .is_event_only = true };
	uint64_t bit_off;
	const void *bytes;
	int32_t n_args = 0;

	if (!type || !c_type_member(type, "nb_args", &bit_off) ||
	    !(bytes = dw_file_bytes(dbg_impl(f->kernel)->file, metadata + bit_off / 8, sizeof(n_args))))
		return;
	memcpy(&n_args, bytes, sizeof(n_args));
	if (n_args < 0 || n_args > MAX_CALL_ARGS)
		return;
	point.name = sp_arena_printf(f->arena, "sys_%s_%s", is_enter ? "enter" : "exit", call);
	point.fields = sp_arena_array(f->arena, struct dbg_trace_field, MAX_CALL_ARGS + 1);
	add_call_field(f, &point, "int", "__syscall_nr", 8, 4);
	if (!is_enter)
		add_call_field(f, &point, "long", "ret", 16, 8);
	for (unsigned i = 0; is_enter && i < (unsigned)n_args; i++) {
		const char *arg_type = text_of_member(f, "types", i, metadata), *name = text_of_member(f, "args", i, metadata);

		if (!arg_type || !name)
			return;
		add_call_field(f, &point, arg_type, name, 16 + i * 8, 8);
	}
	sp_vec_push(&f->found, sp_arena_memdup(f->arena, &point, sizeof(point)));
}

static void add_calls(struct finder *f, const char *wanted_system, const char *pattern)
{
	static const char prefix[] = "__syscall_meta__";
	struct dw_file *file = dbg_impl(f->kernel)->file;
	struct dw_sym sym;

	if (!file || (!wanted_system && sp_streq(pattern, "*")) || (wanted_system && !sp_glob_match(wanted_system, "syscalls")))
		return;
	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);) {
		if (!sp_starts_with(sym.name, prefix))
			continue;
		for (int is_enter = 0; is_enter < 2; is_enter++) {
			const char *call = sym.name + strlen(prefix);
			sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };

			sp_buf_printf(&name, "sys_%s_%s", is_enter ? "enter" : "exit", call);
			if (sp_glob_match(pattern, sp_buf_str(&name)))
				add_call(f, sym.addr, call, is_enter);
		}
	}
}

static int by_system_and_name(const void *a, const void *b)
{
	const struct dbg_tracepoint *x = *(struct dbg_tracepoint *const *)a, *y = *(struct dbg_tracepoint *const *)b;
	int order = strcmp(x->system ? x->system : "", y->system ? y->system : "");

	return order ? order : strcmp(x->name, y->name);
}

// ---- modules --------------------------------------------------------------------------------------------------------

// Whose tracepoints there are in the module's BTF.
static void note_module(struct finder *f, const char *module)
{
	struct dbg_module *kernel = f->kernel;
	sp_cleanup_free char *path = NULL;
	struct btf_file *file;
	struct sp_buf text = { 0 };
	struct sp_err *err;

	sp_buf_printf(&text, DBG_RUNNING_BTF "/%s", module);
	path = sp_buf_take(&text);
	err = btf_file_open(path, f->btf, &file);
	if (err) {
		sp_err_free(err);
		return;
	}
	for (uint32_t id = btf_file_first(file); id < btf__type_cnt(btf_file_raw(file)); id++) {
		const struct btf_type *raw = btf__type_by_id(btf_file_raw(file), id);
		const char *name = btf_is_typedef(raw) ? btf_file_text(btf_file_raw(file), raw->name_off) : NULL;

		if (name && sp_starts_with(name, typedef_prefix))
			sp_hash_set(&dbg_impl(kernel)->module_tracepoints, name + strlen(typedef_prefix),
				    sp_arena_strdup(f->arena, module));
	}
	btf_file_close(file);
}

// Does the kernel have events whose tracepoints are not its own, and which may be meant?
static bool asks_for_modules(const struct finder *f, const char *system, const char *pattern)
{
	if (!system && sp_streq(pattern, "*"))
		return false;
	sp_hash_each(it, f->events)
		if (sp_glob_match(pattern, it->key) && (!system || sp_glob_match(system, it->value)) &&
		    !sp_streq(it->value, "syscalls") && !sp_hash_get(&f->known->tracepoints, it->key))
			return true;
	return false;
}

// Which modules of the running kernel have tracepoints: all that are loaded are looked at, once.
static void note_modules(struct finder *f)
{
	DIR *folder = f->known->knows_module_tracepoints ? NULL : opendir(DBG_RUNNING_BTF);

	f->known->knows_module_tracepoints = true;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (entry->d_name[0] != '.' && !sp_streq(entry->d_name, "vmlinux"))
			note_module(f, entry->d_name);
	if (folder)
		closedir(folder);
}

// Adds what a module has of the pattern.
static void add_of_module(struct finder *f, struct dbg_module *module, const char *system, const char *pattern)
{
	struct finder own = { .kernel = module, .btf = dbg_btf(module), .tracefs = f->tracefs, .events = f->events };

	if (!own.btf)
		return;
	own.arena = btf_file_arena(own.btf);
	own.known = dbg_impl(own.kernel);
	if (!own.known->knows_tracepoints) {
		own.known->knows_tracepoints = true;
		collect(&own);
	}
	sp_hash_each(it, &own.known->tracepoints)
		if (sp_glob_match(pattern, it->key))
			add_point(&own, system, pattern, it->key, (uint32_t)(uintptr_t)it->value);
	sp_vec_each(point, &own.found)
		sp_vec_push(&f->found, *point);
	sp_vec_deinit(&own.found);
}

static void add_from_module(struct finder *f, const char *name, const char *system, const char *pattern)
{
	struct dbg_module *module = NULL;

	sp_err_free(dbg_kernel_module(f->known->dbg, name, &module));
	if (module)
		add_of_module(f, module, system, pattern);
}

static void add_modules(struct finder *f, const char *system, const char *pattern)
{
	sp_cleanup(sp_hash_deinit) struct sp_hash asked = { 0 };
	const char *event_system;

	// A module that is not loaded, or of another kernel: it has the name of the system, if it is to be found.
	if (f->kernel->is_offline) {
		if (!f->found.n && system && !sp_has_glob(system))
			add_from_module(f, system, system, pattern);
		return;
	}
	if (!asks_for_modules(f, system, pattern))
		return;
	note_modules(f);
	sp_hash_each(it, &f->known->module_tracepoints) {
		if (!sp_glob_match(pattern, it->key))
			continue;
		event_system = sp_hash_get(f->events, it->key);
		if (!system_fits(system, event_system, pattern, it->key) || sp_hash_get(&asked, it->value))
			continue;
		sp_hash_set(&asked, it->value, f);
		add_from_module(f, it->value, system, pattern);
	}
}

// Adds what the kernel and all of its modules have.
static void add_of_kernel(struct finder *f, const char *system, const char *name)
{
	sp_hash_each(it, &f->known->tracepoints)
		if (sp_glob_match(name, it->key))
			add_point(f, system, name, it->key, (uint32_t)(uintptr_t)it->value);
	add_modules(f, system, name);
	if (f->tracefs >= 0)
		add_events(f, system, name);
	else
		add_calls(f, system, name);
}

// Scripts ask for the same again: each look-up goes through all names, and reads a file for each tracepoint that it finds.
struct sp_err *dbg_find_tracepoints(struct dbg_module *kernel, struct dbg_module *module, const char *system,
				    const char *name, struct dbg_tracepoints *ret)
{
	struct finder f = { .kernel = kernel, .btf = dbg_btf(kernel), .tracefs = -1, .known = dbg_impl(kernel),
			    .events = &dbg_impl(kernel)->events };
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };
	void **answer;

	sp_buf_printf(&key, "%s %s%s%s", module ? module->name : "", system ? system : "", system ? ":" : "", name);
	answer = sp_hash_insert(&f.known->tracepoint_answers, sp_buf_str(&key), key.len);
	if (*answer) {
		*ret = *(const struct dbg_tracepoints *)*answer;
		return NULL;
	}
	if (!f.btf)
		return sp_err_new(SP_ERR_NOT_FOUND, "tracepoints are described by BTF, which kernel %s does not have",
				  kernel->release ? kernel->release : "?");
	f.arena = btf_file_arena(f.btf);
	if (!kernel->is_offline)
		f.tracefs = dbg_tracefs_open();
	if (!f.known->knows_tracepoints) {
		f.known->knows_tracepoints = true;
		collect(&f);
		if (f.tracefs >= 0)
			dbg_tracefs_systems(f.tracefs, f.arena, &f.known->events);
	}
	if (module)
		add_of_module(&f, module, system, name);
	else
		add_of_kernel(&f, system, name);
	ret->lacks_events = !kernel->is_offline && f.tracefs < 0;
	if (f.tracefs >= 0)
		close(f.tracefs);
	if (f.found.n)
		qsort(f.found.v, f.found.n, sizeof(*f.found.v), by_system_and_name);
	ret->v = sp_arena_memdup(f.arena, f.found.v, f.found.n * sizeof(*f.found.v));
	ret->n = f.found.n;
	*answer = sp_arena_memdup(f.arena, ret, sizeof(*ret));
	sp_vec_deinit(&f.found);
	return NULL;
}
