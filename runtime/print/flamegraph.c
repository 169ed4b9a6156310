// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/flamegraph.h"

#include "runtime/base/util.h"
#include "runtime/print/flamegraph_page.h"
#include "runtime/print/xml.h"

#include <inttypes.h>

#define WIDTH 1200
#define MARGIN 12 // at the left and the right
#define TOP 58
#define BOTTOM 34
#define ROW 19 // a frame's height, with the gap below it
#define LETTER 6.7 // the mean width of a letter
#define NARROWEST 0.15 // of frames that are shown

struct drawing {
	struct sp_buf *out;
	uint64_t total;
	unsigned height;
	struct sp_buf name; // of a frame, escaped
};

// The same name has the same colour in each graph: warm ones for programs, cool ones for the kernel.
static void put_colour(struct sp_buf *out, const char *name, unsigned depth)
{
	uint32_t hash = 2166136261u;

	for (const char *at = name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	hash ^= hash >> 15;
	if (!depth)
		sp_buf_puts(out, "hsl(220,8%,80%)");
	else if (sp_ends_with(name, "_[k]"))
		sp_buf_printf(out, "hsl(%u,%u%%,%u%%)", 196 + hash % 28, 48 + hash / 32 % 18, 66 + hash / 1024 % 10);
	else
		sp_buf_printf(out, "hsl(%u,%u%%,%u%%)", 14 + hash % 34, 76 + hash / 64 % 16, 62 + hash / 2048 % 10);
}

static void put_frame(struct drawing *d, const struct flame_node *node, const char *name, double x, double width, unsigned depth)
{
	unsigned y = d->height - BOTTOM - ROW * (depth + 1);

	sp_buf_printf(d->out, "<g class=\"f\" data-d=\"%u\"><title>", depth);
	xml_put_text(d->out, name, strlen(name));
	sp_buf_printf(d->out, " (%" PRIu64 ", %.2f%%)</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"",
		      node->total, 100.0 * (double)node->total / (double)d->total, x, y, width, ROW - 1);
	put_colour(d->out, name, depth);
	sp_buf_printf(d->out, "\"/><text x=\"%.2f\" y=\"%u\">", x + 4, y + 13);
	xml_put_short(d->out, name, width > 8 ? (size_t)((width - 8) / LETTER) : 0);
	sp_buf_puts(d->out, "</text></g>\n");
}

static void put_frames(struct drawing *d, const struct flame_node *node, const char *name, uint64_t from, unsigned depth)
{
	double unit = (WIDTH - 2 * MARGIN) / (double)d->total, width = (double)node->total * unit;

	if (width < NARROWEST)
		return;
	put_frame(d, node, name, MARGIN + (double)from * unit, width, depth);
	sp_vec_each(child, &node->children) {
		put_frames(d, *child, (*child)->name, from, depth + 1);
		from += (*child)->total;
	}
}

static void put_svg(struct sp_buf *out, const struct flame *flame, const char *title)
{
	struct drawing d = { .out = out, .total = SP_MAX(flame->root.total, UINT64_C(1)),
			     .height = TOP + BOTTOM + ROW * (flame->depth + 1) };

	sp_buf_printf(out, "<svg id=\"flame\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">\n", WIDTH,
		      d.height, WIDTH, d.height);
	sp_buf_printf(out, "<style>%s</style>\n", flamegraph_style);
	sp_buf_printf(out, "<rect id=\"back\" width=\"%d\" height=\"%u\"/>\n<text id=\"title\" x=\"%d\" y=\"28\">", WIDTH, d.height, WIDTH / 2);
	xml_put_text(out, title, strlen(title));
	sp_buf_puts(out, "</text>\n");
	sp_buf_printf(out, flamegraph_controls, MARGIN, WIDTH - MARGIN - 104, WIDTH - MARGIN, WIDTH - MARGIN, d.height - 12, MARGIN,
		      d.height - 12);
	sp_buf_puts(out, "<g id=\"frames\">\n");
	put_frames(&d, &flame->root, "all", 0, 0);
	sp_buf_printf(out, "</g>\n<script><![CDATA[\nvar left = %d, full = %d, top_ = %d, bottom = %u, row = %d, letter = %.1f;\n", MARGIN,
		      WIDTH - 2 * MARGIN, TOP, d.height - BOTTOM - ROW, ROW, LETTER);
	sp_buf_puts(out, flamegraph_script);
	sp_buf_puts(out, "]]></script>\n</svg>\n");
}

void flamegraph_put(struct sp_buf *out, const struct flame *flame, bool is_html, const char *title)
{
	if (!is_html) {
		sp_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
		put_svg(out, flame, title);
		return;
	}
	sp_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>");
	xml_put_text(out, title, strlen(title));
	sp_buf_puts(out, "</title><style>body{margin:0;background:#fbfaf7}svg{display:block;margin:0 auto;max-width:100%;"
			 "height:auto}</style></head><body>\n");
	put_svg(out, flame, title);
	sp_buf_puts(out, "</body></html>\n");
}
