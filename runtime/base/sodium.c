// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/sodium.h"

#if defined(SODIUM_SONAME) || defined(SP_SODIUM_LINKED)
#include <sodium.h>

#define IS_SAME(table, name) _Generic(((struct table *)0)->name, __typeof__(&name) : 1, default : 0)

_Static_assert(IS_SAME(sp_sodium, crypto_generichash) && IS_SAME(sp_sodium, crypto_sign_verify_detached) &&
		       IS_SAME(sp_sodium_sign, crypto_sign_detached) && IS_SAME(sp_sodium_sign, crypto_pwhash_scryptsalsa208sha256) &&
		       IS_SAME(sp_sodium_sign, sodium_memzero),
	       "declared as in libsodium's headers");
#endif

#if defined(SP_SODIUM_LINKED)

struct sp_err *sp_sodium_open(struct sp_sodium *ret)
{
	if (sodium_init() < 0)
		return sp_err_new(SP_ERR_SYSTEM, "libsodium cannot be used");
	*ret = (struct sp_sodium){ crypto_generichash, crypto_sign_verify_detached };
	return NULL;
}

#elif defined(SODIUM_SONAME)
#include <dlfcn.h>

static struct sp_err *load(void **library_ret)
{
	void *library = dlopen(SODIUM_SONAME, RTLD_NOW);
	int (*init)(void) = library ? (int (*)(void))dlsym(library, "sodium_init") : NULL;

	if (!library)
		return sp_err_new(SP_ERR_SYSTEM, "signatures need libsodium (Debian: libsodium23): %s", dlerror());
	if (!init || init() < 0)
		return sp_err_new(SP_ERR_SYSTEM, "libsodium cannot be used");
	*library_ret = library;
	return NULL;
}

#define TAKE(table, name)                                                                                                                  \
	if (!((table)->name = (__typeof__((table)->name))dlsym(library, #name)))                                                          \
	return sp_err_new(SP_ERR_SYSTEM, "libsodium has no %s", #name)

struct sp_err *sp_sodium_open(struct sp_sodium *ret)
{
	void *library;

	SP_TRY(load(&library));
	TAKE(ret, crypto_generichash);
	TAKE(ret, crypto_sign_verify_detached);
	return NULL;
}

struct sp_err *sp_sodium_open_sign(struct sp_sodium_sign *ret)
{
	void *library;

	SP_TRY(load(&library));
	SP_TRY(sp_sodium_open(&ret->verify));
	TAKE(ret, crypto_sign_detached);
	TAKE(ret, crypto_pwhash_scryptsalsa208sha256);
	TAKE(ret, sodium_memzero);
	return NULL;
}

#else

static struct sp_err *missing(void)
{
	return sp_err_new(SP_ERR_SYSTEM, "this program was built without libsodium, which signs and verifies (Debian: libsodium-dev)");
}

struct sp_err *sp_sodium_open(struct sp_sodium *ret SP_UNUSED)
{
	return missing();
}

struct sp_err *sp_sodium_open_sign(struct sp_sodium_sign *ret SP_UNUSED)
{
	return missing();
}

#endif
