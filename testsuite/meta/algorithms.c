// SPDX-License-Identifier: GPL-2.0-or-later
// What people write by hand: loops whose sums and states depend on what they meet, stacks, tables, texts that are put together. The rounds of each
// end after a number that is in sight.
#include "testsuite/meta/helpers.h"

#include "runtime/base/util.h"

const struct helper algorithms[] = {
	{ "wa", "function wa:long(n:long) { while (n && c < 64) { n &= n - 1; c++ } return c }\n" },
	{ "wb", "function wb:long(a:long, b:long) { for (i = 0; i < 40 && b; i++) { t = a % b; a = b; b = t } return a < 0 ? -a : a }\n" },
	{ "wc", "function wc:long(n:long) { n &= 0xffff; low = 0; high = 256; while (low < high - 1) { m = (low + high) / 2; if (m * m <= n) low = m; else high = m } return low }\n" },
	{ "wd", "function wd:string(n:long, base:long)\n"
		"{\n\tr = \"\"; base = 2 + (base & 14); neg = n < 0; n = (neg ? -n : n) & 0xffff\n"
		"\tdo_more = 1\n\tfor (i = 0; i < 17 && do_more; i++) { r = substr(\"0123456789abcdefgh\", n % base, 1) . r; n /= base; do_more = n != 0 }\n\treturn neg ? \"-\" . r : r\n}\n" },
	{ "we", "function we:string(s:string)\n"
		"{\n\tlast = \"\"; n = 0; r = \"\"\n\tfor (i = 0; i < 12; i++) { c = substr(s, i, 1); if (c == last && c != \"\") n++; else { if (n > 1) r .= sprint(n); r .= c; n = 1 } last = c; if (c == \"\") break }\n\treturn r\n}\n" },
	// A machine with a stack: digits are pushed, operators take two.
	{ "wS", "global wS[20]\n" },
	{ "wf", "function wf:long(s:string)\n"
		"{\n\ttop = 0; s .= \"12+34*-\"\n\tfor (i = 0; i < 14; i++) {\n\t\tc = substr(s, i, 1)\n\t\tif (c == \"\") break\n"
		"\t\tif (isdigit(c) && top < 8) wS[top++] = strtol(c, 10)\n\t\telse if (c == \"d\" && top) wS[top] = wS[--top]\n"
		"\t\telse if (top > 1) { b = wS[--top]; a = wS[--top]; wS[top++] = c == \"+\" ? a + b : c == \"-\" ? a - b : c == \"*\" ? a * b : b ? a / b : 7 }\n"
		"\t}\n\treturn top ? wS[top - 1] * 10 + top : -1\n}\n" },
	{ "wR", "global wR[8], wh, wt\nprobe end(32) { println(\"wR \", wt - wh, \" \", wR[wh & 3]) }\n" },
	{ "wg", "function wg:long(v:long) { wR[wt++ & 3] = v; if (wt - wh > 4) { old = wR[wh++ & 3]; return old } for (i = wh; i < wt; i++) s += wR[i & 3]; return s }\n" },
	{ "wM", "global wM[30]\nprobe begin(-9) { for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) wM[i, j] = i * 3 + j - 2 }\n" },
	{ "wi", "function wi:long(n:long)\n"
		"{\n\tfor (i = 0; i < 3; i++) for (j = 0; j < 3; j++) { v = 0; for (k = 0; k < 3; k++) v += wM[i, k] * (k == j ? n : wM[k, j]); t = t * 3 + v }\n\treturn t\n}\n" },
	{ "wj", "function wj:long(s:string)\n"
		"{\n\tquoted = depth = most = words = within = 0\n\tfor (i = 0; i < 24; i++) {\n\t\tc = __string_byte(s, i)\n\t\tif (c == 34) quoted = !quoted\n"
		"\t\telse if (quoted) continue\n\t\telse if (c == 40 || c == 97) { if (++depth > most) most = depth }\n\t\telse if (c == 41 || c == 98) depth -= depth > 0\n"
		"\t\tif (c == 32 || c == 44 || c == 0) within = 0; else if (!within) { within = 1; words++ }\n\t\tif (words > 6 && depth) break\n\t}\n"
		"\treturn ((quoted * 10 + depth) * 10 + most) * 10 + words\n}\n" },
	{ "wl", "function wl:string(s:string, n:long)\n"
		"{\n\tr = \"\"; for (w = tokenize(s, \" ,;\"); w != \"\" && c < 6; w = tokenize(\"\", \" ,;\")) { if (c++ == n) continue; r = r == \"\" ? w : r . \"+\" . w }\n\treturn r\n}\n" },
	{ "wm", "function wm(n:long) { if (n <= 0) return; wm(n - 2); print(n, \" \"); if (n & 1) wm(n - 3) }\n" },
	{ "wP", "global wP[64]\nprobe begin(-9) { for (i = 2; i < 30; i++) wP[i] = 1; for (i = 2; i < 6; i++) if (wP[i]) for (j = i * i; j < 30; j += i) delete wP[j] }\n" },
	{ "wn", "function wn:long(n:long) { for (i = n & 15; i < 30; i++) if ([i] in wP) return i; return -1 }\n" },
	{ "wo", "function wo:long(n:long) { a = 0; b = 1; for (i = 0; i < (n & 127); i++) { t = a + b; a = b; b = t } return a }\n" },
	{ "wp", "function wp:long(n:long) { for (i = 0; i < 30 && n != 1; i++) n = n & 1 ? n * 3 + 1 : n >> 1; return i * 1000 + (n & 511) }\n" },
	{ "wr", "function wr:string(s:string)\n"
		"{\n\twhile (substr(s, 0, 1) == \" \" && a++ < 9) s = substr(s, 1, strlen(s))\n"
		"\twhile ((n = strlen(s)) && substr(s, n - 1, 1) == \" \" && a++ < 18) s = substr(s, 0, n - 1)\n\treturn s\n}\n" },
	{ "ws", "function ws:long(a:string, b:string)\n"
		"{\n\tfor (i = 0; i < 5; i++) for (j = 0; j < 5; j++) {\n\t\tif (i >= strlen(a) || j >= strlen(b) || __string_byte(a, i) != __string_byte(b, j)) { wL[i + 1, j + 1] = 0; continue }\n"
		"\t\tn = wL[i + 1, j + 1] = wL[i, j] + 1\n\t\tif (n > most) most = n\n\t}\n\treturn most\n}\n" },
	{ "wL", "global wL[60]\n" },
	{ "wW", "global wW[60]\nprobe begin(-9) { wW[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, \"a\"] = 5 }\n"
		"probe end(33)\n{\n\tforeach ([a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u] in wW) n += a + t * 7 + strlen(u) * 3 + wW[a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u]\n\tprintln(\"wW \", n)\n}\n" },
	{ "wu", "function wu:long(p:long, q:string) { return wW[1, 2, p & 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, p & 1, q] += p }\n" },
	{ "wv", "function wv:long(n:long)\n"
		"{\n\tif (n > 4) { if (n & 1) { if (n < 100) { wX[n & 3] <<< n; if (@count(wX[n & 3]) > 2) return @sum(wX[n & 3]) } else wX[5] <<< -n } }\n"
		"\telse if (n < -4) { try { if (n & 2) error(\"low\"); wX[6] <<< n } catch { for (i = 0; i < 3; i++) if (i != (n & 3)) wX[7] <<< i } }\n\treturn @count(wX[6]) * 10 + @count(wX[7])\n}\n" },
	{ "wX", "global wX[10]\nprobe end(34) { foreach (k+ in wX) println(\"wX \", k, \" \", @count(wX[k]), \" \", @sum(wX[k])) }\n" },

	// The same in C: a text has at least as many bytes as MAXSTRINGLEN.
	{ "ca", "function ca:long(s:string) %{ /* pure */\n"
		"\tunsigned crc = ~0u;\n\tint i, k;\n\tfor (i = 0; i < 24 && STAP_ARG_s[i]; i++) {\n\t\tcrc ^= (unsigned char)STAP_ARG_s[i];\n"
		"\t\tfor (k = 0; k < 8; k++)\n\t\t\tcrc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;\n\t}\n\tSTAP_RETVALUE = crc > 0x80000000u ? -(long)crc : crc;\n%}\n" },
	{ "cb", "function cb:long(s:string, n:long) %{ /* pure */\n"
		"\tint i, quoted = 0, depth = 0, most = 0, last = -1, in = 0;\n\tfor (i = 0; i < 39 && STAP_ARG_s[i]; i++) {\n\t\tchar c = STAP_ARG_s[i];\n"
		"\t\tif (c == '\"')\n\t\t\tquoted = !quoted;\n\t\telse if (quoted)\n\t\t\tin++;\n\t\tif (c == 'a' || c == '(')\n\t\t\tdepth++;\n\t\telse if (c == 'b' && depth > 0)\n\t\t\tdepth--;\n"
		"\t\tif (depth > most)\n\t\t\tmost = depth;\n\t\tif (c == ',')\n\t\t\tlast = i;\n\t\tif (in > (STAP_ARG_n & 7) && quoted)\n\t\t\tbreak;\n\t}\n"
		"\tSTAP_RETURN((((depth * 40L + most) * 40 + last) * 40 + in) * 2 + quoted);\n%}\n" },
	{ "cc", "function cc:long(a:long, b:long) %{ /* pure */\n"
		"\tlong x = STAP_ARG_a & 0xffff, y = STAP_ARG_b & 0xff;\n\tint i;\n\tfor (i = 0; i < 30 && y; i++) {\n\t\tlong t = x % y;\n\t\tx = y;\n\t\ty = t;\n\t}\n\tSTAP_RETVALUE = x * 100 + i;\n%}\n" },
	{ "cd", "function cd:long(s:string) %{ /* pure */\n"
		"\tint h[4] = { 0 }, i, low = 255, high = 0;\n\tfor (i = 0; i < 30 && STAP_ARG_s[i]; i++) {\n\t\tint c = (unsigned char)STAP_ARG_s[i];\n\t\th[c & 3]++;\n"
		"\t\tif (c < low)\n\t\t\tlow = c;\n\t\tif (c > high)\n\t\t\thigh = c;\n\t}\n\tif (low * 2 < high)\n\t\th[0] = -h[0];\n\tSTAP_RETVALUE = ((h[0] * 40L + h[1]) * 40 + h[2]) * 40 + h[3];\n%}\n" },
	{ "ce", "function ce:long(n:long) %{ /* pure */\n"
		"\tstatic const int steps[16] = { -90, -7, -3, 0, 1, 2, 3, 5, 9, 20, 31, 64, 100, 255, 1000, 65535 };\n\tint low = 0, high = 15, i;\n"
		"\tfor (i = 0; i < 4 && low < high; i++) {\n\t\tint middle = (low + high) / 2;\n\t\tif (steps[middle & 15] < STAP_ARG_n)\n\t\t\tlow = middle + 1;\n\t\telse\n\t\t\thigh = middle;\n\t}\n"
		"\tSTAP_RETVALUE = low;\n%}\n" },
	{ "cf", "function cf:string(s:string, n:long) %{ /* pure */\n"
		"\tint i, j = 0;\n\tfor (i = 0; i < 31 && STAP_ARG_s[i]; i++)\n\t\tif (STAP_ARG_s[i] != 'a' + (STAP_ARG_n & 1))\n\t\t\tSTAP_RETVALUE[j++ & 31] = STAP_ARG_s[i];\n\tSTAP_RETVALUE[j & 31] = 0;\n%}\n" },
	{ "cg", "function cg:long(n:long) %{ /* pure */\n"
		"\tunsigned long v = STAP_ARG_n;\n\tint i, bits = 0, longest = 0, row = 0;\n\tfor (i = 0; i < 64; i++) {\n\t\tif (v >> i & 1) {\n\t\t\tbits++;\n\t\t\tif (++row > longest)\n\t\t\t\tlongest = row;\n\t\t} else {\n\t\t\trow = 0;\n\t\t}\n\t\tif (bits > 40)\n\t\t\tbreak;\n\t}\n"
		"\tswitch (bits & 3) {\n\tcase 0: longest = -longest; break;\n\tcase 3: longest += row; break;\n\t}\n\tSTAP_RETVALUE = bits * 100 + longest;\n%}\n" },
	{ "ch", "function ch:long(a:long, b:long) %{ /* pure */\n"
		"\tsigned char c = STAP_ARG_a;\n\tshort s = STAP_ARG_b;\n\tunsigned char u = (unsigned char)(c * 3 + s);\n\tint i, t = c / 3 - s % 7;\n"
		"\tfor (i = 0; i < 12; i++) {\n\t\tif (u & 0x80)\n\t\t\tu = (unsigned char)(u << 1 ^ 0x1d);\n\t\telse\n\t\t\tu <<= 1;\n\t\tt += u > 100 ? -1 : c >> 2;\n\t\tif (t > 90)\n\t\t\tgoto full;\n\t}\n"
		"\tt = -t;\nfull:\n\tSTAP_RETVALUE = t * 256L + u;\n%}\n" },
	{ "ci", "function ci:string(n:long, s:string) %{ /* pure */\n"
		"\tstatic const char *const names[] = { \"none\", \"one\", \"\", \"some more\" };\n\tint i, at = 0;\n"
		"\tfor (i = 0; i < 10; i++) {\n\t\tif (STAP_ARG_s[at & 15] == 'b' || i == (STAP_ARG_n & 15))\n\t\t\tat += 2;\n\t\telse if (!STAP_ARG_s[at & 15])\n\t\t\tat = 3;\n\t\telse\n\t\t\tat++;\n\t}\n"
		"\tsnprintf(STAP_RETVALUE, MAXSTRINGLEN, \"%s:%d\", names[at & 3], at);\n%}\n" },
};

const size_t n_algorithms = SP_ARRAY_SIZE(algorithms);
