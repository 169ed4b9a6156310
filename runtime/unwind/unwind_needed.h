// SPDX-License-Identifier: GPL-2.0-or-later
/** Where the dynamic linker will find the libraries that a file needs, as far as that can be said without running it. */
#ifndef SP_RUNTIME_UNWIND_NEEDED_H
#define SP_RUNTIME_UNWIND_NEEDED_H

/** Calls `each` with the path of each library that the ELF file names itself, in its own folders and those of the system. */
void unwind_each_needed(const char *path, void (*each)(void *ctx, const char *path), void *ctx);

#endif
