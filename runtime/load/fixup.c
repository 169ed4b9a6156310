// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/load/fixup.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/load/counters.h"
#include "runtime/load/layout.h"
#include "runtime/machine/image.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

// Of now: a script that runs when summer time ends goes on with it.
static uint64_t time_zone(bool name)
{
	time_t now = (time_t)(clock_ns(CLOCK_REALTIME) / 1000000000u);
	uint64_t text = 0;
	struct tm local;

	localtime_r(&now, &local);
	if (!name)
		return (uint64_t)-local.tm_gmtoff;
	memcpy(&text, local.tm_zone, SP_MIN(strlen(local.tm_zone), sizeof(text) - 1));
	return text;
}

// A terminal that does not know its size (0, 0) is one of 24 lines and 80 columns.
static uint64_t terminal_size(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size))
		return 0;
	return (uint64_t)(size.ws_row ? size.ws_row : 24) << 16 | (size.ws_col ? size.ws_col : 80);
}

// The best of a few sandwiched readings: an interruption between two clock reads is wrong by its length.
int64_t fixup_wall_offset(void)
{
	uint64_t best = UINT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC), wall = clock_ns(CLOCK_REALTIME);
		uint64_t after = clock_ns(CLOCK_MONOTONIC);

		if (after - before < best) {
			best = after - before;
			offset = (int64_t)(wall - (before + (after - before) / 2));
		}
	}
	return offset;
}

struct tsc {
	uint64_t mult, shift, offset; // cycles = offset + (ns * mult >> shift)
};

#if defined(__x86_64__)
#include <x86intrin.h>

static uint64_t cycles_now(void)
{
	return __rdtsc();
}

// The kernel's own ratio is in the user page of any perf event (perf_event_open(2), cap_user_time): ns = cycles * mult
// >> shift. Returns cycles per ns, 0 when it is not to be had.
static double cycles_per_ns_perf(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1, .exclude_hv = 1 };
	sp_cleanup_close int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *user;
	double ratio = 0;

	if (fd < 0)
		return 0;
	user = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	if (user == MAP_FAILED)
		return 0;
	if (user->cap_user_time && user->time_mult)
		ratio = (double)(1ull << user->time_shift) / user->time_mult;
	munmap(user, page);
	return ratio;
}

static double cycles_per_ns_measured(void)
{
	uint64_t ns = clock_ns(CLOCK_MONOTONIC), cycles = cycles_now();

	usleep(10000);
	cycles = cycles_now() - cycles;
	ns = clock_ns(CLOCK_MONOTONIC) - ns;
	return ns ? (double)cycles / (double)ns : 1;
}
#else
// Without a cycle counter that user space may read, a cycle is a nanosecond.
static uint64_t cycles_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static double cycles_per_ns_perf(void)
{
	return 1;
}

static double cycles_per_ns_measured(void)
{
	return 1;
}
#endif

static struct tsc tsc_measure(void)
{
	const double horizon = 30 * 86400e9; // ns that a session may last
	struct tsc tsc = { .shift = 30 };
	double ratio = cycles_per_ns_perf();
	uint64_t ns = clock_ns(CLOCK_MONOTONIC);

	if (ratio <= 0)
		ratio = cycles_per_ns_measured();
	// The shift is as large as it can be while ns * mult stays below 2^64: that is the most exact.
	while (tsc.shift > 0 && ratio * (double)(1u << tsc.shift) * ((double)ns + horizon) > 0x1p64)
		tsc.shift--;
	tsc.mult = (uint64_t)(ratio * (double)(1u << tsc.shift) + 0.5);
	ns = clock_ns(CLOCK_MONOTONIC);
	tsc.offset = cycles_now() - (ns * tsc.mult >> tsc.shift);
	return tsc;
}

static struct sp_err *kernel_slide(const struct bundle *bundle, uint64_t *ret)
{
	uint64_t address;

	for (unsigned i = 0; i < bundle->n_objects; i++) {
		const struct sp_object *object = &bundle->objects[i];

		if (object->kind != SP_OBJECT_KERNEL)
			continue;
		SP_TRY(image_kernel_address("_stext", &address));
		*ret = address - object->text_base;
		return NULL;
	}
	return sp_err_new(SP_ERR_FORMAT, "the bundle needs the kernel's base but has no kernel among its objects");
}

// Kernels differ in their variables: a script asks whether there is one.
static struct sp_err *symbol_address(const char *name, uint64_t *ret)
{
	struct sp_err *err = image_kernel_address(name, ret);

	if (!err || err->code != SP_ERR_NOT_FOUND)
		return err;
	sp_err_free(err);
	*ret = 0;
	return NULL;
}

static struct sp_err *module_section(const struct bundle *bundle, const struct sp_fixup *fixup, uint64_t *ret)
{
	const char *module = bundle_text(bundle, bundle->objects[fixup->object].name);

	return image_module_section(module, bundle_text(bundle, fixup->text), ret);
}

static struct sp_err *set_global(const struct bundle *bundle, const char *setting, uint8_t *data)
{
	const char *equals = strchr(setting, '='), *value;
	size_t len;

	if (!equals || equals == setting)
		return sp_err_new(SP_ERR_USAGE, "-G %s: expected NAME=VALUE", setting);
	value = equals + 1;
	for (unsigned i = 0; i < bundle->n_globals; i++) {
		const struct sp_global *global = &bundle->globals[i];
		const char *name = bundle_text(bundle, global->name);

		if (strlen(name) != (size_t)(equals - setting) || strncmp(name, setting, strlen(name)) != 0 ||
		    global->flags & SP_GLOBAL_PRIVATE)
			continue;
		if (global->type == SP_STRING) {
			len = strlen(value);
			if (len >= global->size)
				return sp_err_new(SP_ERR_USAGE, "-G %s: the string has more than %u bytes", setting,
						  global->size - 1);
			memset(data + global->offset, 0, global->size);
			memcpy(data + global->offset, value, len);
		} else {
			char *end;
			uint64_t number;

			errno = 0;
			number = *value == '-' ? (uint64_t)strtol(value, &end, 0) : strtoull(value, &end, 0);
			if (errno || end == value || *end)
				return sp_err_new(SP_ERR_USAGE, "-G %s: `%s` is not a number", setting, value);
			memcpy(data + global->offset, &number, sizeof(number));
		}
		return NULL;
	}
	for (unsigned i = 0; i < bundle->n_maps; i++) {
		const char *name = bundle_text(bundle, bundle->maps[i].label);

		if (strlen(name) == (size_t)(equals - setting) && strncmp(name, setting, strlen(name)) == 0 &&
		    !(bundle->maps[i].flags & SP_MAP_PRIVATE))
			return sp_err_new(SP_ERR_USAGE, "-G %s: `%s` is an array, and only scalars can be given a value",
					  setting, name);
	}
	// What the library calls its own is in the script where it is used: --remote gives its values to all.
	return sp_starts_with(setting, "__") ? NULL :
					       sp_err_new(SP_ERR_USAGE, "-G %s: the script has no global variable of that name", setting);
}

static struct sp_err *check_build_id(const struct sp_object *object, const char *name, const struct image_build_id *here)
{
	char wanted_text[2 * SP_BUILD_ID_MAX + 1], here_text[2 * SP_BUILD_ID_MAX + 1];

	if (!object->build_id_len ||
	    (object->build_id_len == here->len && memcmp(object->build_id, here->bytes, here->len) == 0))
		return NULL;
	return sp_err_new(SP_ERR_TARGET,
			  "the script was compiled for %s with build-id %s, but here its build-id is %s; compile it again for this machine",
			  name, image_build_id_text(object->build_id, object->build_id_len, wanted_text),
			  image_build_id_text(here->bytes, here->len, here_text));
}

static struct sp_err *check_kernel(const struct bundle *bundle, const struct sp_object *object)
{
	const char *wanted = bundle_text(bundle, bundle->head->release);
	struct image_build_id here;
	struct utsname uts;
	struct sp_err *err;

	uname(&uts);
	image_kernel_build_id(&here);
	// Some kernels do not tell their build-id; then the releases are compared.
	if (object->build_id_len && here.len) {
		err = check_build_id(object, "a kernel", &here);
		return err ? sp_err_wrap(err, "made for kernel %s, this is %s", *wanted ? wanted : "?", uts.release) :
			     NULL;
	}
	if (*wanted && !sp_streq(wanted, uts.release))
		return sp_err_new(SP_ERR_TARGET,
				  "the script was compiled for kernel %s, but this is %s; compile it again for this machine",
				  wanted, uts.release);
	return NULL;
}

// What is measured or read once, and used for several slots.
struct machine {
	struct tsc tsc;
	struct layout *layout;
	bool is_kernel_known, is_kernel_same; // as the one that was compiled for
};

bool fixup_is_same_kernel(const struct bundle *bundle, const struct sp_object *object)
{
	struct sp_err *err = check_kernel(bundle, object);
	bool ret = !err;

	sp_err_free(err);
	return ret;
}

// The kernel that the script was compiled for is not looked at: its answers are in the bundle.
static struct sp_err *kernel_value(const struct bundle *bundle, const struct sp_fixup *fixup, struct machine *machine,
				   uint64_t *ret)
{
	const char *text = bundle_text(bundle, fixup->text);

	if (!machine->is_kernel_known)
		machine->is_kernel_same = fixup_is_same_kernel(bundle, &bundle->objects[fixup->object]);
	machine->is_kernel_known = true;
	if (fixup->kind == SP_FIX_PROTOTYPE)
		return machine->is_kernel_same ? NULL : layout_prototype(machine->layout, text);
	if (fixup->kind == SP_FIX_SAME_PLACE)
		return machine->is_kernel_same ? NULL : layout_same_place(machine->layout, text);
	if (machine->is_kernel_same)
		return layout_then(text, ret);
	return fixup->kind == SP_FIX_BITS ? layout_bits(machine->layout, text, ret) : layout_member(machine->layout, text, ret);
}

static struct sp_err *slot_value(const struct fixup_input *input, const struct sp_fixup *fixup, struct machine *machine,
				 uint64_t *ret)
{
	struct tsc *tsc = &machine->tsc;

	switch ((enum sp_fixup_kind)fixup->kind) {
	case SP_FIX_TARGET_PID:
		*ret = (uint64_t)input->target;
		return NULL;
	case SP_FIX_STAP_PID:
		*ret = (uint64_t)getpid();
		return NULL;
	case SP_FIX_WALL_OFFSET:
		return NULL;
	case SP_FIX_TZ_OFFSET:
	case SP_FIX_TZ_NAME:
		*ret = time_zone(fixup->kind == SP_FIX_TZ_NAME);
		return NULL;
	case SP_FIX_TERMINAL:
		*ret = terminal_size(input->out_fd);
		return NULL;
	case SP_FIX_KERNEL_SLIDE:
		return kernel_slide(input->bundle, ret);
	case SP_FIX_MODULE_SECTION:
		return module_section(input->bundle, fixup, ret);
	case SP_FIX_TSC_MULT:
	case SP_FIX_TSC_SHIFT:
	case SP_FIX_TSC_OFFSET:
		if (!tsc->mult)
			*tsc = tsc_measure(); // once, so that the three belong together
		*ret = fixup->kind == SP_FIX_TSC_MULT ? tsc->mult :
		       fixup->kind == SP_FIX_TSC_SHIFT ? tsc->shift : tsc->offset;
		return NULL;
	case SP_FIX_MEMBER:
	case SP_FIX_PROTOTYPE:
	case SP_FIX_BITS:
	case SP_FIX_SAME_PLACE:
		return kernel_value(input->bundle, fixup, machine, ret);
	case SP_FIX_CONFINED:
		*ret = fixup_family(input->confined, fixup->object);
		return NULL;
	case SP_FIX_CPUS:
		*ret = (uint64_t)SP_MAX(libbpf_num_possible_cpus(), 1);
		return NULL;
	case SP_FIX_SYMBOL:
		return symbol_address(bundle_text(input->bundle, fixup->text), ret);
	case SP_FIX_COUNTER:
		*ret = counters_first(input->bundle, fixup);
		return NULL;
	case SP_FIX_LAYOUT:
		sp_err_free(layout_member(machine->layout, bundle_text(input->bundle, fixup->text), ret));
		return NULL;
	case SP_FIX_KIND_COUNT:
		break;
	}
	return sp_err_bug("a fixup kind without a value");
}

struct sp_err *fixup_check_layout(const struct bundle *bundle, struct layout *layout)
{
	struct machine machine = { .layout = layout };
	struct sp_err *err = NULL;
	uint64_t value;

	for (unsigned i = 0; i < bundle->n_fixups && !err; i++) {
		const struct sp_fixup *fixup = &bundle->fixups[i];

		if (fixup->kind == SP_FIX_MEMBER || fixup->kind == SP_FIX_BITS || fixup->kind == SP_FIX_PROTOTYPE ||
		    fixup->kind == SP_FIX_SAME_PLACE)
			err = kernel_value(bundle, fixup, &machine, &value);
	}
	return err;
}

struct sp_err *fixup_apply(const struct fixup_input *input, uint64_t *slots, void *data)
{
	const struct bundle *bundle = input->bundle;
	struct machine machine = { .layout = input->layout };
	struct sp_err *err = NULL;

	for (unsigned i = 0; i < bundle->n_fixups && !err; i++)
		err = slot_value(input, &bundle->fixups[i], &machine, &slots[bundle->fixups[i].slot]);
	SP_TRY(err);
	for (const char *const *setting = input->globals; setting && *setting; setting++)
		SP_TRY(set_global(bundle, *setting, data));
	return NULL;
}

static bool is_used(const struct bundle *bundle, unsigned object)
{
	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (bundle->sites[i].object == object)
			return true;
	for (unsigned i = 0; i < bundle->n_fixups; i++)
		if (bundle->fixups[i].kind == SP_FIX_MODULE_SECTION && bundle->fixups[i].object == object)
			return true;
	return bundle->objects[object].kind == SP_OBJECT_KERNEL;
}

// Are all sites in the object optional?
static bool is_optional(const struct bundle *bundle, unsigned object)
{
	bool any = false;

	for (unsigned i = 0; i < bundle->n_sites; i++) {
		if (bundle->sites[i].object != object)
			continue;
		if (!(bundle->sites[i].flags & SP_SITE_OPTIONAL))
			return false;
		any = true;
	}
	return any;
}

struct sp_err *fixup_open_program(const struct bundle *bundle, uint32_t index, int *fd_ret)
{
	const struct sp_object *object = &bundle->objects[index];
	const char *path = bundle_text(bundle, object->path);
	sp_cleanup_close int fd = -1;
	struct image_build_id here;

	SP_TRY(image_file_open(path, &here, &fd));
	if (!here.len && object->build_id_len == SP_CONTENT_ID)
		here.len = sp_build_id_of_content(fd, here.bytes);
	SP_TRY(check_build_id(object, path, &here));
	if (object->code_layout && object->code_layout != here.layout)
		return sp_err_new(SP_ERR_TARGET, "%s was rewritten: it has the build-id that the script was compiled for, but its code is "
				  "elsewhere; compile it again", path);
	*fd_ret = fd;
	fd = -1;
	return NULL;
}

struct sp_err *fixup_check_object(const struct bundle *bundle, uint32_t index)
{
	const struct sp_object *object = &bundle->objects[index];
	const char *name = bundle_text(bundle, object->name);
	sp_cleanup_close int fd = -1;
	struct image_build_id here;

	switch (object->kind) {
	case SP_OBJECT_KERNEL:
		return object->flags & SP_OBJECT_PORTABLE ? NULL : check_kernel(bundle, object);
	case SP_OBJECT_KERNEL_MODULE:
		image_module_build_id(name, &here);
		// A module that is not loaded is found out when its probe is attached.
		return here.len ? check_build_id(object, name, &here) : NULL;
	case SP_OBJECT_PROGRAM:
		return fixup_open_program(bundle, index, &fd);
	}
	return NULL;
}

struct sp_err *fixup_check_target(const struct bundle *bundle)
{
	for (unsigned i = 0; i < bundle->n_objects; i++) {
		struct sp_err *err = is_used(bundle, i) ? fixup_check_object(bundle, i) : NULL;

		if (err && err->code != SP_ERR_TARGET && is_optional(bundle, i)) {
			sp_err_free(err);
			err = NULL;
		}
		if (err)
			return err;
	}
	return NULL;
}
