// SPDX-License-Identifier: GPL-2.0-or-later
/** What all flame graphs have in common. */
#ifndef SP_RUNTIME_FLAMEGRAPH_PAGE_H
#define SP_RUNTIME_FLAMEGRAPH_PAGE_H

/** CSS. */
extern const char flamegraph_style[];
/** What can be clicked and where texts are shown: a format with the places of all that (flamegraph.c). */
#define flamegraph_controls                                                                                                       \
	"<text class=\"c\" id=\"reset\" x=\"%d\" y=\"28\">Reset zoom</text>\n"                                                     \
	"<text class=\"c e\" id=\"invert\" x=\"%d\" y=\"28\">Invert</text>\n"                                                      \
	"<text class=\"c e\" id=\"search\" x=\"%d\" y=\"28\">Search</text>\n"                                                      \
	"<text class=\"e\" id=\"matched\" x=\"%d\" y=\"%u\"></text>\n"                                                             \
	"<text id=\"details\" x=\"%d\" y=\"%u\"></text>\n"
/** ECMAScript 5, which finds the frames in the picture. */
extern const char flamegraph_script[];

#endif
