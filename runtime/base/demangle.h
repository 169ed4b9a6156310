// SPDX-License-Identifier: GPL-2.0-or-later
/** The source names of C++ and Rust symbols, by libiberty when spile was built with it; else no symbol has one. */
#ifndef SP_BASE_DEMANGLE_H
#define SP_BASE_DEMANGLE_H

#include "runtime/base/util.h"

/** "_ZN3ns3Box4growEi" is "ns::Box::grow", with `parameters` "ns::Box::grow(int)", and the names of clones have lost their suffix.
 *  NULL: it is no such symbol. To be freed. */
char *sp_demangle(const char *symbol, bool parameters);

#endif
