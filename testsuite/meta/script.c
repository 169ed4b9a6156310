// SPDX-License-Identifier: GPL-2.0-or-later
#include "testsuite/meta/gen.h"
#include "testsuite/meta/helpers.h"

#include <ctype.h>

// ---- making ---------------------------------------------------------------------------------------------------------

// Local variables are assigned first, so that their types are known whatever is left out behind.
static struct node *make_body(struct gen *g, unsigned n)
{
	static const char *const names[] = { "a", "b", "c", "s", "t" };
	struct node *block = node_block(g->tree), *value;

	g->n_vars = g->labels = 0;
	g->is_focused = g->wants->n_leaves && !g->has_no_leaves && chance(g->rng, 60);
	for (unsigned i = 0; i < SP_ARRAY_SIZE(names); i++) {
		enum type type = i < 3 ? T_LONG : T_STR;

		value = gen_leaf(g, type);
		gen_assign(g, block, names[i], value);
		g->vars[g->n_vars++] = (struct var){ names[i], type, false, -1 };
	}
	if (!g->is_focused) {
		gen_statements(g, block, n);
		return block;
	}
	gen_statements(g, block, below(g->rng, 3));
	n = 1 + below(g->rng, 2);
	for (unsigned i = 0; i < n; i++) {
		value = gen_focus(g);
		if (value)
			block_add(block, value);
	}
	gen_statements(g, block, below(g->rng, 3));
	g->is_focused = false;
	return block;
}

void script_make(struct script *s, struct sp_arena *arena, struct rng rng, const struct script_wants *wants)
{
	static const unsigned caps[] = { 0, 0, 0, 40, 64, 128, 200, 512, 2000 };
	struct gen g = { .rng = &rng, .tree = &s->tree, .script = s, .wants = wants, .effects = FEW_EFFECTS };
	unsigned n_funcs, n;

	*s = (struct script){ .tree.arena = arena, .n_bodies = wants->n_bodies };
	s->max_string = *pick(&rng, caps);
	s->user_only = wants->may_be_user_only && chance(&rng, 30);
	s->shows_at_error = chance(&rng, 25);
	s->max_errors = chance(&rng, 15) ? 1 + below(&rng, 3) : 0;
	gen_globals(&g);
	n_funcs = below(&rng, 5);
	n_funcs = below(&rng, n_funcs + 1);
	gen_functions(&g, wants->has_big_function ? SP_MAX(n_funcs, 1u) : n_funcs);
	for (unsigned i = 0; i < s->n_bodies; i++) {
		// Mostly small ones: more of them show more, in the same time.
		n = chance(&rng, 8) ? 25 : wants->n_statements;
		n = below(&rng, n - 2);
		n = 3 + below(&rng, n + 1);
		g.has_no_leaves = i && wants->first_has_leaves;
		s->bodies[i] = make_body(&g, n);
		if (wants->has_big_function)
			gen_many_calls(&g, s->bodies[i], s->funcs[0]);
	}
	gen_setup(&g);
	gen_end(&g);
}

// ---- printing -------------------------------------------------------------------------------------------------------

enum part_kind { PART_GLOBAL, PART_FUNCTION, PART_HELPER, PART_SETUP, PART_PROBE, PART_END };

struct part {
	enum part_kind kind;
	unsigned index;
	bool is_used;
	struct sp_buf text;
};

enum { MAX_PARTS = 200 };

static bool names(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
		if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) && !isalnum((unsigned char)at[len]) &&
		    at[len] != '_')
			return true;
	return false;
}

// Declared when something names them. Arrays are shown in an order that is the same everywhere, each by a probe whose place among the
// others is its own.
static const struct helper helpers[] = {
	{ "__sum", "function __sum:long(s:string)\n{\n"
		   "\tn = 5381; for (i = 0; i < strlen(s); i++) n = n * 33 + stringat(s, i); return n\n}\n\n" },
	// Behind others: the first argument is -7, the second "a b,c" (trial.c), and -G gives the globals other values.
	{ "gG", "global gG = 5\nprobe end(23) { println(\"gG \", gG) }\n" },
	{ "gH", "global gH = \"h\"\nprobe end(24) { println(\"gH \", gH) }\n" },
	{ "xF", "global xF[40]\nprobe begin(-9) { xF[1, \"a\", 2, \"b\", 0] = 1; xF[1, \"ab\", 2, \"b\", 1] = -4; xF[2, \"a\", 0, \"\", 1] = 9 }\n"
		"probe end(21)\n{\n\tforeach ([k, l, m, o, p] in xF) n += (k * 31 + strlen(l)) * 31 + m * 7 + strlen(o) * 3 + p + xF[k, l, m, o, p]\n"
		"\tprintln(\"xF \", n)\n}\n" },
	{ "xG", "global xG[40]\nprobe begin(-9) { xG[1, \"a\", 2, \"b\", 0] <<< 1; xG[1, \"ab\", 2, \"b\", 0] <<< -4; xG[2, \"a\", 0, \"\", 0] <<< 9 }\n"
		"probe end(22)\n{\n\tforeach ([k, l, m, o, p] in xG) n += (k * 31 + strlen(l)) * 31 + m * 7 + strlen(o) * 3 + p + @sum(xG[k, l, m, o, p])\n"
		"\tprintln(\"xG \", n)\n}\n" },
	{ "fq", "function fq:long(p:long):2 { if (p > 5) next; return 200 + (p & 7) }\n"
		"function fq:long(p:long):1 { if (p & 1) next; return 100 + (p & 7) }\n"
		"function fq:long(p:long):3 { return 300 + (p & 7) }\n" },
	{ "fv", "function fv:long(p:long) { return p ^ 5 }\nfunction fv:long(p:long, q:long) { return fv_two(p, q) }\n" },
	{ "fv_two", "function fv_two:long(p:long, q:long) { return p * 3 - q }\n" },
	{ "ft", "function ft:long(p:long)\n"
		"{\n\ttry { try { if (p & 2) error(\"two\"); return 10 / (p - 1) } catch (m) { if (p & 4) error(m . \"!\"); return 7 } } catch (m) { return strlen(m) }\n}\n" },
	{ "fw", "function fw:long(p:long, q:long)\n"
		"{\n\tif (p <= 0) return q\n\ttry { while (p > 6) { p -= 2; if (fw(p - 3, q) == 4) return p } } catch { return -1 }\n\treturn 1 + fw(p - 2, q & 0xff)\n}\n" },
	{ "fl", "function fl:long(p:long)\n"
		"{\n\tforeach (k+ in xeA) { try { if (k == p) next; if (k == 6) error(\"six\") } catch { if (p == 4) next; if (p == 1) break } }\n\treturn p\n}\n"
		"function fl:long(p:long) { return 40 + p }\n" },
	{ "fm", "function fm:string(p:string)\n"
		"{\n\tr = \"\"\n\tfor (i = 0; i < 4 && p =~ \"([a-z]+)([^a-z].*)?$\"; i++) { r .= matched(1) . \".\"; p = matched(2) }\n\treturn r . sprint(i)\n}\n" },
	{ "fu", "function fu:string(p:string, q:long)\n"
		"{\n\ttry { return q & 1 ? (p > \"b\" ? p : error_of(p)) : sprintf(\"%*.*s|\", q & 15, 5, p) } catch (m) { return \"<\" . m . \">\" }\n}\n"
		"private function error_of:string(p:string) { error(\"of \" . p); return p }\n" },
	{ "ya", "function ya:string(p:long, q:string) { if (p <= 0 || strlen(q) > 30) return q; return yb(p - 1, sprint(p) . q) }\n" },
	{ "yb", "function yb:string(p:long, q:string)\n"
		"{\n\ttry { if (p == 2 && strlen(q) & 1) error(q); return ya(p - 1, q . \"b\") } catch (m) { return m . \"!\" }\n}\n" },
	{ "yh", "function yh:long(p:string) { yW[p]++; return [p] in yW ? yW[p] : -1 }\n" },
	{ "yi", "function yi(p, q) { return p > q ? p - q : q }\n" },
	{ "yl", "function yl:long(p:long) { while (i++ < 3) { if (i == (p & 3)) continue; t += i; if (t > 4) break } return t * 10 + i }\n" },
	{ "yn", "function yn:long(p:long) { if (p > 3) return p * 2 }\n" },
	{ "yq", "function yq:long(p:long)\n"
		"{\n\tforeach (k in yQ @count- limit 2) {\n\t\ttry { if (@count(yQ[k]) == p) return k; if (@max(yQ[k]) > p) error(sprint(k)) }\n"
		"\t\tcatch (m) { if (m == \"3\") break; p += strtol(m, 10) }\n\t}\n\treturn p\n}\n" },
	{ "yr", "function yr:long(p:long, q:long)\n"
		"{\n\tforeach (k+ in xeA limit 2) { if (q > 4) return k + q; if (k == p) return yr_down(p, q + 1) * 3; q++ }\n\treturn q\n}\n"
		"private function yr_down:long(p:long, q:long) { return p <= 0 ? q : yr(p - 3, q) + 1 }\n" },
	{ "yt", "function yt:string(p:string) { if (p < \"b\") return p . \"t\" }\n" },
	{ "yu", "function yu(p, q) { return p . sprint(q) }\n" },
	{ "yQ", "global yQ[5]\nprobe begin(-9) { yQ[1] <<< 1; yQ[1] <<< 20; yQ[1] <<< 3; yQ[2] <<< 4; yQ[2] <<< 90; yQ[3] <<< -9 }\n" },
	{ "yV", "global yV%[3]\nprobe begin(-9) { yV[1] <<< 5 }\nprobe end(25) { foreach (k+ in yV) println(\"yV \", k, \" \", @sum(yV[k])) }\n" },
	{ "yW", "global yW%[3]\nprobe begin(-9) { yW[\"w\"] = 1 }\nprobe end(26) { foreach (k+ in yW) println(\"yW \", k, \" \", yW[k]) }\n" },
	{ "yv", "function yv:long(p:long) { yV[p & 7] <<< p; return @count(yV[p & 7]) * 100 + (@max(yV[p & 7]) & 63) }\n" },
	{ "fx", "function fx:long(p:string) { q = p . \"!\"; return strlen(q) * 100 + __string_byte(q, 0) }\n" },
	{ "fy", "function fy(p:string, q:long) { if (q > 2) printf(\"%s %d\\n\", p, q); else println(q, p) }\n" },
	{ "fz", "function fz:long(p:long) { q = p; while (q > 9) q /= 10; return q }\n" },
	{ "fo", "function fo:long(p:long) { if (p & 1) next; return p * 3 }\n"
		"function fo:long(p:long) { if (p < 0) next; return p + 1 }\n"
		"function fo:long(p:long) { return -p }\n" },
	{ "fr", "function fr:long(p:long, q:string)\n"
		"{\n\tif (p <= 0) return strlen(q);\n\ttry { return fr(p - 1, q . sprint(p)) + stringat(q, p) } catch { return -p }\n}\n" },
	{ "fn", "function fn:long(p:long)\n"
		"{\n\tforeach (k+ in fnA) { if (k > p) return fnA[k]; if (k == 4) error(\"four\") }\n\treturn 100 / p\n}\n" },
	{ "fs", "function fs:string(p:long, q:string)\n"
		"{\n\tfor (i = 0; i < 9; i++) { if (i >= p || strlen(q) > 60) return q; q .= substr(q, i, 2) . \",\" }\n\treturn q . \".\"\n}\n" },
	{ "fnA", "global fnA[5]\nprobe begin(-9) { fnA[0] = 7; fnA[2] = 70; fnA[4] = 700; fnA[6] = 1; if (fnA[0] != 7) println(fnA[0]) }\n" },
	{ "xc", "function xc:long(p:string, q:long)\n"
		"{\n\tfor (i = 0; i < 4; i++) { try { if (i == q) return strlen(p) * 10 + i; if (i == 3) error(p) } catch (e) { return strlen(e) } }\n"
		"\treturn -1\n}\n" },
	{ "xw", "function xw:long(p:string, q:long)\n{\n\ti = 0; while (i < 4) { if (i == q) return strlen(p) * 10 + i; i++ }\n\treturn strlen(p)\n}\n" },
	{ "xe", "function xe:long(p:long)\n"
		"{\n\tt = 0; foreach (k+ in xeA) { if (k == p) return t; foreach (v = l- in xeA) { if (l < k) break; if (v == 9) continue; t += v * l } }\n\treturn t\n}\n" },
	{ "xg", "function xg:string(p:string, q:long)\n"
		"{\n\tr = \"\"; t = tokenize(p, \",; \"); while (t != \"\" && strlen(r) < 40) { r .= sprintf(\"%*s|\", q, substr(t, 0, 4)); t = tokenize(\"\", \",; \") }\n"
		"\treturn text_str(r)\n}\n" },
	{ "xf", "private function xf:long(p:long, q:string) { xp++; return p > 3 ? xf(p & 3, q . \"f\") : strlen(q) + p }\n" },
	{ "xh", "function xh:long(p:long, q:string, r:long)\n"
		"{\n\txhA[p, q, r] <<< p + strlen(q)\n\tif (@count(xhA[p, q, r]) > 1) print(@hist_log(xhA[p, q, r]))\n\treturn @max(xhA[p, q, r]) * 9 + @count(xhA[p, \"a\", r])\n}\n" },
	{ "xj", "function xj:string(p:string, q:string, r:long, n:long)\n"
		"{\n\tif (n <= 0) return p . q\n\treturn xj(q, substr(p, r & 1, 20) . \"-\", r >> 1, n - 1) . sprintf(\"%d\", n)\n}\n" },
	{ "xk", "function xk:long(p:string, q:long)\n"
		"{\n\tp .= \"k\"; q += strlen(p)\n\tif (p =~ \"^(a|b)(.*)k$\") p = matched(2)\n\treturn q * 10 + strlen(p)\n}\n" },
	{ "xr", "private function xr:string(p:string)\n"
		"{\n\ttry { if (p == \"\" || p == \"ab\") error(\"raised\" . p); return p . \"r\" } catch { try { error(p) } catch (e) { return e . \"!\" } }\n}\n" },
	{ "xy", "private function xy:string(p:long, q:string)\n"
		"{\n\tfor (i = 0; i < 3; i++) { while (1) { if (p == i) return sprint(i) . q; if (strlen(q) > i) break; q .= \"y\" } if (q == \"by\") continue; q .= xT[i] }\n\treturn q\n}\n" },
	{ "xq", "function xq:string(p:string, n:long)\n"
		"{\n\tif (n <= 0 || p == \"ab\") return p\n\tq = xq(substr(p, 1, 40) . sprint(n), n - 1)\n\treturn q =~ \"^[a-z]\" ? q . substr(p, 0, 1) : substr(p, 0, 2) . q\n}\n" },
	{ "xz", "private function xz:long(n:long, s:string) { xhA[n, s, 2] <<< n; for (i = 0; i < 2; i++) n += xz_hist(i, s); return n }\n"
		"private function xz_hist:long(i:long, s:string)\n"
		"{\n\txhA[i, s, 2] <<< strlen(s) - i; if (@max(xhA[i, s, 2]) > 2) print(@hist_linear(xhA[i, s, 2], 0, 9, 3)); return @count(xhA[i, s, 2])\n}\n" },
	{ "xv", "function xv:long(p:long) { if ((p & 63) == 9) next; return p - 1 }\n" },
	{ "xT", "private global xT[5]\nprobe begin(-9) { xT[0] = \"t\"; xT[1] = \"\"; xT[2] = \"a longer text, of more than a few bytes\" }\n"
		"probe end(8) { println(\"xT \", xT[2]) }\n" },
	{ "ec", "function ec:long(p:long) %{ /* pure */ STAP_RETVALUE = STAP_ARG_p * 3 + (STAP_ARG_p >> 1 & 7); %}\n" },
	{ "ed", "function ed:string(p:string, q:long) %{ /* pure */\n\tint i;\n\tchar *to = STAP_RETVALUE;\n"
		"\tfor (i = 0; i < 20 && STAP_ARG_p[i]; i++)\n\t\tto[i] = STAP_ARG_p[i] == 'a' ? 'A' + (STAP_ARG_q & 15) : STAP_ARG_p[i];\n\tto[i] = 0;\n%}\n" },
	{ "ef", "function ef:string(p:string, q:long) %{ /* pure */ snprintf(STAP_RETVALUE, MAXSTRINGLEN, \"%s/%lld\", STAP_ARG_p, (long long)STAP_ARG_q); %}\n" },
	{ "ep", "function ep:long(p:long) %{ /* pragma:read:eg */ /* pragma:write:eg */\n"
		"\tSTAP_GLOBAL_SET_eg(STAP_GLOBAL_GET_eg() + STAP_ARG_p);\n\tSTAP_RETVALUE = STAP_GLOBAL_GET_eg();\n%}\n" },
	{ "ee", "function ee:long(p:long) %{ if (STAP_ARG_p & 1) STAP_ERROR(\"odd\"); STAP_RETVALUE = STAP_ARG_p; %}\n" },
	{ "eg", "global eg = 3\nprobe end(11) { println(\"eg \", eg) }\n" },
	{ "xhA", "global xhA[60]\nprobe begin(-9) { xhA[1, \"a\", 1] <<< 1; xhA[2, \"ab\", 0] <<< -5 }\n"
		 "probe end(12) { foreach ([k, l, m] in xhA) n += k + strlen(l) * 7 + m * 31 + @sum(xhA[k, l, m]); println(\"xhA \", n) }\n" },
	{ "xlB", "global xlB[9]\nprobe begin(-9) { xlB[3] = 1 }\nprobe end(13) { foreach (k+ in xlB) println(\"xlB \", k, \" \", xlB[k]) }\n" },
	{ "xeA", "global xeA[7]\nprobe begin(-9) { for (i = 0; i < 5; i++) xeA[i * 3] = (i * 7 + 2) % 11 }\n" },
	{ "xp", "private global xp = 3\nprobe end(14) { println(\"xp \", xp) }\n" },
	{ "xm", "@define xm(a, b) %( ((@a) * 3 + (@b)) %)\n" },
	{ "xt", "@define xt(a) %( (@xm(@a, 1) - (@a)) %)\n" },
	{ "xs", "@define xs(text) %( substr(@text, 1, 5) . \",(\" %)\n" },
	{ "zn", "function zn:long(p:long, q:string)\n"
		"{\n\tforeach (k+ in xeA) { if (k == p) next; if (xeA[k] > 9) return k }\n"
		"\ttry { if (q == \"\") error(\"empty\"); if (p > 7) next } catch { return -1 }\n\treturn strlen(q)\n}\n"
		"function zn:long(p:long, q:string) { while (p > 3) { p -= 2; if (q =~ \"^a\") next } return p * 2 }\n"
		"function zn:long(p:long, q:string) { return p ? -3 : strlen(q) }\n" },
	{ "zd", "private function zd:long(p:long, n:long)\n"
		"{\n\tif (n <= 0) return 9 / p\n\ttry { if (n & 1) error(sprint(n)); return zd(p - 1, n - 1) + 1 } catch { return zd(p, n - 1) * 2 }\n}\n" },
	{ "zk", "function zk:long(p:long, q:string, r:long, t:string)\n"
		"{\n\tzz[p, q, 3, t, r, \"x\", t . \"z\", 8, p] += r\n"
		"\tforeach (v = [a, b, c, d, e, f, g, h, i] in zz[*, *, 3, *, *, *, *, *, *]) { n += v; if (b == t) s++ }\n"
		"\tif (n > 9) delete zz[p, *, *, t, *, *, *, *, *]\n\treturn n * 10 + s\n}\n" },
	{ "zs", "function zs:string(p:string, n:long)\n"
		"{\n\tr = \"\"; for (i = 0; i <= n && i < 6; i++) { c = substr(p, i, 1); if (c == \"\") break; if (c == \" \" || c == \",\") continue; r = c . r }\n\treturn r != \"\" ? r : sprint(n)\n}\n" },
	{ "zp", "function zp(p:long, q:string) %{ STAP_PRINTF(\"%lld:%s\\n\", (long long)STAP_ARG_p, STAP_ARG_q); %}\n" },
	{ "zz", "global zz[60]\nprobe begin(-9) { zz[1, \"a\", 3, \"b\", 2, \"x\", \"y\", 8, 1] = 2 }\n"
		"probe end(27) { foreach ([a, b, c, d, e, f, g, h, i] in zz) n += (a * 31 + strlen(b)) * 31 + strlen(d) * 7 + e + strlen(g) * 5 + i + zz[a, b, c, d, e, f, g, h, i]; println(\"zz \", n) }\n" },
	// What it gives just fits, or is shorter: it cuts nothing, as a handler's rest may not need what the kernel's part has of it.
	{ "xb", "function xb:string(n:long)\n"
		"{\n\tn = n < __string_room() ? n : __string_room()\n\tr = \"ab,c;\\n\\\"\\xffZ 7\"\n"
		"\tfor (i = 0; i < 9; i++) r .= substr(r, 0, n - strlen(r))\n\treturn substr(r, 0, n)\n}\n" },
	{ "xH", "global xH\n" },
	{ "xI", "global xI\n" },
	{ "xJ", "global xJ\n" },
	{ "xK", "global xK[9]\nprobe end(28) { foreach (k+ in xK) println(\"xK \", k, \" \", @count(xK[k])) }\n" },
	{ "zH", "global zH[30]\nprobe end(29) { foreach (k+ in zH) println(\"zH \", k, \" \", zH[k]) }\n" },
	{ "zS", "global zS[5]\nprobe end(30) { println(\"zS \", zS[1], zS[2]) }\n" },
	{ "zL", "global zL[30]\nprobe end(31) { foreach (k+ in zL) println(\"zL \", k, \" \", zL[k]) }\n" },
	{ "switched", "global switched = 2\n" },
	{ "eh", "function eh:long(p:long, s:string) %{ /* pure */\n\tlong h = 5381;\n\tint i;\n"
		"\tfor (i = 0; i < 40 && STAP_ARG_s[i]; i++)\n\t\th = h * 33 ^ STAP_ARG_s[i];\n"
		"\tswitch (STAP_ARG_p & 3) {\n\tcase 0: h = -h; break;\n\tcase 1: h >>= 3; break;\n\tcase 2: h = (unsigned)h % 77;\n\t}\n\tSTAP_RETVALUE = h;\n%}\n" },
	{ "meta_sum", "%{ struct meta_pair { int a; short b[3]; };\n"
		      "static inline long meta_sum(const struct meta_pair *p) { return p->a * 3 + p->b[0] - p->b[2]; } %}\n" },
	{ "ei", "function ei:long(p:long) %{ /* pure */\n\tstruct meta_pair t = { .a = STAP_ARG_p, .b = { 1, STAP_ARG_p >> 3, (short)STAP_ARG_p } };\n"
		"\tSTAP_RETVALUE = meta_sum(&t) + t.b[STAP_ARG_p & 1];\n%}\n" },
	{ "ej", "function ej:string(p:string, q:string) %{ /* pure */\n"
		"\tstrlcpy(STAP_RETVALUE, STAP_ARG_p, MAXSTRINGLEN);\n\tstrlcat(STAP_RETVALUE, STAP_ARG_q, MAXSTRINGLEN);\n%}\n" },
	{ "pA", "global pA[30]\n" },
	{ "pB", "global pB[30]\n" },
	{ "zT", "global zT[5]\nprobe begin(-9) { zT[3] = \"c\" }\n" },
	{ "xu", "@define xu(a, op) %( ((@a) @op 3 ? 7 : -7) %)\n" },
	{ "gx", "global gx = \"x\"\n" },
	{ "gz", "global gz = 1\n" },
	{ "gz_other", "global gz_other = 1\nprobe timer.s(9) { gz_other = !gz_other }\n" },
	{ "gq", "global gq\n" },
	{ "xsA", "global xsA[40]\nprobe begin(-9) { xsA[\"a\"] = 1 }\n"
		 "probe end(15) { foreach (k+ in xsA) println(\"xsA \", k, \" \", xsA[k]) }\n" },
	{ "xlA", "global xlA[40]\nprobe begin(-9) { xlA[7] = 1 }\n"
		 "probe end(16) { foreach (k+ in xlA) println(\"xlA \", k, \" \", xlA[k]) }\n" },
	{ "xsC", "global xsC[40]\nprobe begin(-9) { xsC[\"a\"] <<< 1 }\n"
		 "probe end(17) { foreach (k+ in xsC) println(\"xsC \", k, \" \", @count(xsC[k])) }\n" },
	{ "xlC", "global xlC[40]\nprobe begin(-9) { xlC[7] <<< 1 }\n"
		 "probe end(18) { foreach (k+ in xlC) println(\"xlC \", k, \" \", @count(xlC[k])) }\n" },
	{ "xsD", "global xsD[40]\nprobe begin(-9) { xsD[1, \"a\"] = 1 }\n"
		 "probe end(19) { foreach ([k, l] in xsD) n += k + strlen(l) * 7 + xsD[k, l]; println(\"xsD \", n) }\n" },
	{ "xlD", "global xlD[40]\nprobe begin(-9) { xlD[1, 7] = 1 }\n"
		 "probe end(20) { foreach ([k, l] in xlD) n += k + l * 7 + xlD[k, l]; println(\"xlD \", n) }\n" },
};

static const struct helper *helper_at(size_t i)
{
	return i < SP_ARRAY_SIZE(helpers) ? &helpers[i] : &algorithms[i - SP_ARRAY_SIZE(helpers)];
}

static void print_global(struct sp_buf *out, const struct global *a)
{
	sp_buf_printf(out, "global %s", a->name);
	if (a->wraps)
		sp_buf_putc(out, '%');
	if (a->size)
		sp_buf_printf(out, "[%u]", a->size);
	if (a->init)
		sp_buf_printf(out, " = %s", a->init);
	sp_buf_putc(out, '\n');
}

// Of functions that are called elsewhere, too: else what stands with those that they name would be shown at the end.
static void print_never_reached(struct sp_buf *out, const struct script *s, const struct part *funcs)
{
	sp_buf_puts(out, "\tif (never == 77) {\n");
	for (unsigned i = 0; i < s->n_funcs; i++)
		for (unsigned k = 0; k < 3 && funcs[i].is_used; k++) {
			sp_buf_printf(out, "\t\t%s(", s->funcs[i]->name);
			for (unsigned j = 0; j < s->funcs[i]->n_params; j++)
				sp_buf_printf(out, s->funcs[i]->types[j] == T_LONG ? "%snever + %u" : "%ssprint(never + %u)", j ? ", " : "", k);
			sp_buf_puts(out, ");\n");
		}
	sp_buf_puts(out, "\t}\n");
}

static void print_points(struct sp_buf *out, const struct head *h, const char *condition)
{
	const char *comma = "";

	for (unsigned i = 0; i < h->n_points; i++) {
		if (h->points[i]->is_off)
			continue;
		sp_buf_printf(out, "%s%s%s", comma, h->points[i]->text, condition);
		comma = ", ";
	}
}

static void print_head(struct sp_buf *out, const struct head *h, const char *condition)
{
	sp_buf_puts(out, "probe ");
	if (h->alias)
		sp_buf_printf(out, "%s = ", h->alias);
	print_points(out, h, condition);
	if (h->alias)
		sp_buf_printf(out, " { }\nprobe %s", h->alias);
	sp_buf_printf(out, " {%s\n", h->first ? h->first : "");
}

// The half of the handler that comes first is the prologue of an alias, or the other one its epilogue.
static void print_halves(struct sp_buf *out, const struct head *h, struct node *body, const struct script_layout *l)
{
	struct node rest = *body, *middle = body->first, *next;
	bool is_first = l->halves == HALVES_PROLOGUE;
	unsigned n = 0;

	for (struct node *s = body->first; s; s = s->next)
		if (n++ % 2)
			middle = middle->next;
	next = middle->next;
	rest.first = next;
	sp_buf_printf(out, "probe half%u %s ", h->body, is_first ? "=" : "+=");
	print_points(out, h, "");
	for (unsigned i = 0; i < 2; i++) {
		sp_buf_puts(out, i ? "" : " {");
		if (i)
			sp_buf_printf(out, "probe half%u {", h->body);
		sp_buf_printf(out, "%s\n", is_first && h->first ? h->first : "");
		middle->next = is_first ? NULL : next;
		node_print(out, is_first ? body : &rest, &l->style, 1);
		middle->next = next;
		sp_buf_puts(out, "}\n");
		is_first = !is_first;
	}
	sp_buf_putc(out, '\n');
}

// One statement of an alias of the points or of the alias before, and the line that they are named in.
static void print_level(struct sp_buf *out, const struct head *h, struct node *statement, const struct style *style, unsigned level, const char *op)
{
	struct node block = { .kind = NODE_BLOCK, .first = statement }, *next = statement->next;

	sp_buf_puts(out, "probe ");
	if (*op)
		sp_buf_printf(out, "level%u_%u %s ", h->body, level, op);
	if (level)
		sp_buf_printf(out, "level%u_%u", h->body, level - 1);
	else
		print_points(out, h, "");
	sp_buf_printf(out, " {%s\n", h->first && !level ? h->first : "");
	statement->next = NULL;
	node_print(out, &block, style, 1);
	statement->next = next;
	sp_buf_puts(out, "}\n");
}

// Aliases of aliases take the statements from both ends, those of the end as epilogues; what is left is the handler's.
static void print_levels(struct sp_buf *out, const struct head *h, struct node *body, const struct script_layout *l)
{
	struct node *statements[MAX_STATEMENTS];
	unsigned first = 0, end = 0, level = 0;
	struct rng rng = { l->level_ends };

	for (struct node *s = body->first; s; s = s->next)
		statements[end++] = s;
	while (end - first > 1) {
		if (level && below(&rng, 3) == 0)
			print_level(out, h, statements[--end], &l->style, level++, "+=");
		else
			print_level(out, h, statements[first++], &l->style, level++, "=");
	}
	print_level(out, h, statements[first], &l->style, level, "");
	sp_buf_putc(out, '\n');
}

static bool is_empty(const struct head *h)
{
	for (unsigned i = 0; i < h->n_points; i++)
		if (!h->points[i]->is_off)
			return false;
	return true;
}

static void print_probe(struct sp_buf *out, const struct script *s, const struct script_layout *l, const struct head *h)
{
	struct node *body = s->bodies[h->body];

	if (l->halves == HALVES_LEVELS && body->first) {
		print_levels(out, h, body, l);
		return;
	}
	if (l->halves) {
		print_halves(out, h, body, l);
		return;
	}
	if (l->conditional) {
		print_head(out, h, " if (armed == 2)");
		node_print(out, body, &l->style, 1);
		sp_buf_puts(out, "}\n\nprobe never {\n");
		node_print(out, body, &l->style, 1);
		sp_buf_puts(out, "}\n\n");
	}
	print_head(out, h, l->conditional ? " if (armed == 1)" : "");
	node_print(out, body, &l->style, 1);
	if (!l->shared || h + 1 != l->heads + l->n_heads)
		sp_buf_puts(out, "}\n\n");
}

static void print_part(struct part *p, const struct script *s, const struct script_layout *l)
{
	switch (p->kind) {
	case PART_GLOBAL:
		print_global(&p->text, &s->globals[p->index]);
		break;
	case PART_FUNCTION:
		function_print(&p->text, s->funcs[p->index], &l->style);
		break;
	case PART_HELPER:
		sp_buf_puts(&p->text, helper_at(p->index)->text);
		break;
	case PART_SETUP:
		sp_buf_puts(&p->text, "probe begin(-10) {\n");
		node_print(&p->text, s->setup, &l->style, 1);
		sp_buf_puts(&p->text, l->shared ? "\tnever = 1\n" : "");
		sp_buf_puts(&p->text, l->conditional ? "\tarmed = 1\n}\n\n" : "}\n\n");
		break;
	case PART_PROBE:
		print_probe(&p->text, s, l, &l->heads[p->index]);
		break;
	case PART_END:
		sp_buf_puts(&p->text, "probe end {\n");
		node_print(&p->text, s->end, &l->style, 1);
		sp_buf_puts(&p->text, l->shared ? "\tprintln(never == 77 ? \"never\" : \"end\")\n}\n\n" : "\tprintln(\"end\")\n}\n\n");
		sp_buf_puts(&p->text, "probe error {\n\tprintln(\"error\")\n");
		if (s->shows_at_error)
			node_print(&p->text, s->end, &l->style, 1);
		sp_buf_puts(&p->text, "}\n");
		break;
	}
}

// What is declared because of this part.
static void mark_used(struct part *parts, unsigned n, const struct script *s, const struct part *by)
{
	const char *text = sp_buf_str(&by->text);

	for (unsigned i = 0; i < n; i++) {
		const char *name = parts[i].kind == PART_FUNCTION ? s->funcs[parts[i].index]->name :
				   parts[i].kind == PART_GLOBAL	  ? s->globals[parts[i].index].name :
				   parts[i].kind == PART_HELPER	  ? helper_at(parts[i].index)->name :
								    NULL;

		if (name && !parts[i].is_used && names(text, name)) {
			parts[i].is_used = true;
			mark_used(parts, n, s, &parts[i]);
		}
	}
}

static bool is_shown_at_end(const struct part *p, const struct script *s)
{
	return p->kind == PART_GLOBAL && s->globals[p->index].is_unread;
}

// What is printed at the end because nothing reads it keeps its order.
static void shuffle(struct part *parts, unsigned n, const struct script *s, uint64_t order)
{
	struct rng rng = { order };
	struct part moved;
	unsigned last = 0;

	for (unsigned i = n; i > 1; i--) {
		unsigned k = below(&rng, i);

		moved = parts[i - 1];
		parts[i - 1] = parts[k];
		parts[k] = moved;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!is_shown_at_end(&parts[i], s))
			continue;
		last = i;
		for (unsigned k = i + 1; k < n; k++)
			if (is_shown_at_end(&parts[k], s) && parts[k].index < parts[last].index)
				last = k;
		moved = parts[i];
		parts[i] = parts[last];
		parts[last] = moved;
	}
}

// Macros come before what uses them.
static void print_used(struct sp_buf *out, const struct part *parts, unsigned n, bool macros)
{
	for (unsigned i = 0; i < n; i++)
		if (parts[i].is_used && sp_starts_with(sp_buf_str(&parts[i].text), "@define") == macros)
			sp_buf_add(out, parts[i].text.data, parts[i].text.len);
}

void script_print(struct sp_buf *out, const struct script *s, const struct script_layout *layout)
{
	struct part parts[MAX_PARTS] = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_globals; i++)
		parts[n++] = (struct part){ PART_GLOBAL, i, false, { 0 } };
	for (unsigned i = 0; i < s->n_funcs; i++)
		parts[n++] = (struct part){ PART_FUNCTION, i, false, { 0 } };
	for (unsigned i = 0; i < SP_ARRAY_SIZE(helpers) + n_algorithms; i++)
		parts[n++] = (struct part){ PART_HELPER, i, false, { 0 } };
	parts[n++] = (struct part){ PART_SETUP, 0, true, { 0 } };
	for (unsigned i = 0; i < layout->n_heads; i++)
		if (!is_empty(&layout->heads[i]))
			parts[n++] = (struct part){ PART_PROBE, i, true, { 0 } };
	parts[n++] = (struct part){ PART_END, 0, true, { 0 } };
	for (unsigned i = 0; i < n; i++)
		print_part(&parts[i], s, layout);
	for (unsigned i = 0; i < n; i++)
		if (parts[i].kind >= PART_SETUP)
			mark_used(parts, n, s, &parts[i]);
	for (unsigned i = 0; i < n && layout->shared; i++)
		if (parts[i].kind == PART_PROBE && parts[i].index + 1 == layout->n_heads) {
			print_never_reached(&parts[i].text, s, parts + s->n_globals);
			sp_buf_puts(&parts[i].text, "}\n\n");
		}
	if (layout->order)
		shuffle(parts, n, s, layout->order);
	sp_buf_puts(out, layout->preamble ? layout->preamble : "");
	sp_buf_puts(out, layout->shared ? "global never\n" : "");
	sp_buf_puts(out, layout->conditional ? "global armed\n" : "");
	print_used(out, parts, n, true);
	print_used(out, parts, n, false);
	for (unsigned i = 0; i < n; i++)
		sp_buf_deinit(&parts[i].text);
}
