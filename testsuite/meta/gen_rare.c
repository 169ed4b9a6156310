// SPDX-License-Identifier: GPL-2.0-or-later
// What few scripts have: odd widths, places behind the end, values that are assigned in the middle of an expression, overloaded
// functions, errors within errors. A form is a row of a table.
#include "testsuite/meta/gen.h"

#define ARENA (g->tree->arena)

#define FORM(kids, form) { kids, form, NULL, false }
#define ALIKE(kids, form, alt) { kids, form, alt, false }
#define FAILS(kids, form) { kids, form, NULL, true }

/* `kids`, a letter each: l and s an expression, n a small number, w a width, e an element or a scalar that is changed, t one of a
 * text, q a statistic, b a block, B the body of a loop, A the name of an array with one key, Q that of one of statistics, C a number near
 * MAXSTRINGLEN, h nothing: in handlers alone. In statements L and S in front of a point are local variables, N one of its own. */
static const struct rare {
	const char *kids, *form, *alt;
	bool fails; // can fail: in a try block alone
} long_forms[] = {
	FORM("s", "isdigit(\1)"),
	FORM("nl", "strlen(sprintf(\"%*d\", \1, \2))"),
	FORM("wwl", "strlen(sprintf(\"%*.*x\", \1, \2, \3))"),
	FORM("ws", "strlen(sprintf(\"%-*s\", \1, \2))"),
	ALIKE("lll", "((\1) < (\2) < (\3))", "(((\1) < (\2)) < (\3))"),
	ALIKE("lll", "((\1) == (\2) != (\3))", "(((\1) == (\2)) != (\3))"),
	FORM("l", "(0x8000000000000000 / ((\1) | -1))"),
	FORM("l", "(0x8000000000000000 % ((\1) | -1))"),
	FORM("ll", "((\1) << ((\2) & 127))"),
	FORM("ll", "(-(\1) >> ((\2) & 127))"),
	ALIKE("l", "strtol(sprint(\1), 10)", "(\1)"),
	ALIKE("l", "strtol(sprintf(\"%d\", \1), 0)", "(\1)"),
	FORM("l", "strtol(sprintf(\"%x\", \1), 16)"),
	FORM("sl", "strtol(\1, (\2) & 63)"),
	FORM("l", "__string_byte(sprintf(\"%c\", \1), 0)"),
	FORM("sl", "__string_byte(\1, \2)"),
	FAILS("sl", "stringat(\1, \2)"),
	FAILS("ql", "@hist_log(\1)[\2]"),
	FORM("qn", "@hist_linear(\1, -10, 90, 20)[\2]"),
	FORM("q", "(@count(\1) > 2)"),
	FORM("qq", "(@sum(\1) - @sum(\2))"),
	FORM("el", "(\1 = \2)"),
	FORM("el", "((\1 += \2) + 1)"),
	FORM("el", "(\1 -= \2)"),
	FORM("el", "(\1 *= \2)"),
	FORM("el", "(\1 /= (\2) | 1)"),
	FORM("el", "(\1 %= (\2) | 1)"),
	FAILS("el", "(\1 /= \2)"),
	FORM("el", "(\1 <<= \2)"),
	FORM("el", "(\1 >>= \2)"),
	FORM("eel", "(\1 = \2 = \3)"),
	FORM("el", "(\1++ + \1-- * (\2))"),
	FORM("es", "strlen(sprint(\1++, \2))"),
	FORM("ts", "strlen(\1 = \2)"),
	FORM("ts", "((\1 .= \2) == \"ab\")"),
	FORM("l", "fo(\1)"),
	FORM("ns", "fr(\1, \2)"),
	FAILS("l", "fn(\1)"),
	FORM("ll", "fp_to_long(fp_add(long_to_fp(\1), long_to_fp(\2)), 0, 0)"),
	FORM("ll", "fp_lt(long_to_fp(\1), fp_sub(long_to_fp(\2), long_to_fp(1)))"),
	FORM("ll", "fp_to_long(fp_mul(long_to_fp(\1), long_to_fp((\2) & 7)), 0, 0)"),
	FORM("l", "fp_to_long(fp_sqrt(long_to_fp((\1) & 0xffff)), 0, 0)"),
	ALIKE("l", "ntohl(htonl((\1) & 0xffffffff))", "((\1) & 0xffffffff)"),
	ALIKE("l", "htons(ntohs((\1) & 0xffff))", "((\1) & 0xffff)"),
	FORM("l", "htonll(\1)"),
	FORM("q", "(@count(\1) ? @variance(\1, 3) : -1)"),
	FORM("q", "(@count(\1) ? @max(\1) - @min(\1) + @avg(\1) : 0)"),
	FORM("ss", "((\1) . (\2) == (\2) . (\1))"),
	FORM("ss", "strpos((\1) . (\2), \2)"),
	FORM("sss", "((\1) < (\2) ? (\2) < (\3) : (\3) < (\1))"),
	ALIKE("ll", "@xm(\1, \2)", "((\1) * 3 + (\2))"),
	ALIKE("ll", "@xm(@xm(\1, 2), \2)", "(((\1) * 3 + 2) * 3 + (\2))"),
	FORM("l", "@xt(\1)"),
	FORM("l", "(xp += \1)"),
	FORM("ls", "xf(\1, \2)"),
	FORM("l", "xe(\1)"),
	ALIKE("ll", "(@defined($no_such) ? \1 : \2)", "(\2)"),
	ALIKE("l", "@choose_defined($no_such, \1)", "(\1)"),
	ALIKE("sn", "xc(\1, \2)", "xw(\1, \2)"),
	FORM("l", "strlen(user_string_quoted((\1) & 0xfff))"),
	FORM("l", "strlen(kernel_string_quoted((\1) & 0xfff))"),
	FORM("ls", "strlen(sprintf(\"%p %5p %s\", \1, \1, \2))"),
	FORM("l", "(user_long((\1) & 0xfff) + user_int8((\1) & 0xfff))"),
	FORM("el", "(\1 >>>= \2)"),
	FORM("el", "(\1 |= \2)"),
	FORM("el", "((\1 &= \2) ^ 1)"),
	FORM("el", "(\1 ^= \2)"),
	FAILS("el", "(\1 %= \2)"),
	FAILS("ll", "((\1) / ((\2) & 1))"),
	FAILS("ll", "((\1) % ((\2) & 1))"),
	FAILS("ln", "strlen(substr(\"abcdef\", 8 / (\1), \2))"),
	FAILS("l", "xlA[6 / (\1)]"),
	FAILS("l", "([6 % (\1)] in xlA)"),
	FAILS("ls", "xc(\2, 5 / (\1))"),
	FAILS("l", "(9 / (\1) ? 3 / (\1) : 2 / (\1))"),
	FAILS("ll", "(\1 && 1 / (\2))"),
	FAILS("ll", "(!(\1) || 1 % (\2))"),
	FAILS("q", "(@sum(\1) / @count(\1))"),
	FAILS("ql", "(@min(\1) + @avg(\1) / (\2))"),
	FORM("ll", "((\1) >>> ((\2) & 127))"),
	FORM("ll", "((\1) << 63 >> (\2))"),
	ALIKE("ll", "(%( kernel_v >= \"2.6\" %? \1 %: \2 %))", "(\1)"),
	ALIKE("ll", "((\1) + %( 2 < 1 %? no such %( 1 == 1 %? thing %) %: (\2) %))", "((\1) + (\2))"),
	ALIKE("ll", "%( CONFIG_NO_SUCH == \"y\" && 1 < 2 %? \1 %: (\2) %)", "(\2)"),
	FORM("ssnn", "strlen(xj(\1, \2, \3, \4))"),
	FORM("sl", "xk(\1, \2)"),
	FORM("lsn", "xh((\1) & 3, \2, \3)"),
	FORM("ll", "fp_to_long(fp_div(long_to_fp(\1), long_to_fp(\2 | 1)), 0, 0)"),
	FORM("sl", "fp_le(string_to_fp(\1), long_to_fp(\2))"),
	FORM("l", "fp32_to_fp64(\1)"),
	FORM("l", "ec(\1)"),
	FORM("sl", "strlen(ed(\1, \2))"),
	FORM("l", "ep(\1)"),
	FAILS("l", "ee(\1)"),
	ALIKE("l", "ntohll(htonll(\1))", "(\1)"),
	ALIKE("l", "little_endian4(\1)", "((\1) & 0xffffffff)"),
	ALIKE("ln", "MAJOR(MKDEV((\1) & 0xfff, \2))", "((\1) & 0xfff)"),
	FORM("sC", "strlen(sprintf(\"%*s\", \2, \1))"),
	FORM("sn", "strlen(xq(\1, \2))"),
	FORM("ls", "xz((\1) & 3, \2)"),
	FORM("lh", "xv(\1)"),
	FORM("sCs", "strpos(sprintf(\"%*s\", \2, \1), \3)"),
	FORM("sC", "(sprintf(\"%*s\", \2, \1) == sprintf(\"%-*s\", \2, \1))"),
	FORM("sC", "(sprintf(\"%*s\", \2, \1) =~ \" [^ ]+$\")"),
	FORM("sC", "strtol(sprintf(\"%-*s7\", \2, \1), 16)"),
	FORM("lsnsl", "xF[(\1) & 3, \2, \3, \4, (\5) & 1]++"),
	FORM("lsnsl", "(xF[(\1) & 3, \2, \3, \4, (\5) & 1] += \5)"),
	FORM("lsnsl", "([(\1) & 3, \2, \3, \4, (\5) & 1] in xF)"),
	FORM("sl", "([*, \1, *, *, (\2) & 1] in xF)"),
	FORM("ns", "([\1, *, *, \2, *] in xF)"),
	FORM("lsns", "@count(xG[(\1) & 3, \2, \3, \4, 0])"),
	FAILS("sns", "@max(xG[1, \1, \2, \3, 0])"),
	FAILS("ql", "@hist_linear(\1, -10, 90, 20)[\2]"),
	FORM("l", "($1 + (\1))"),
	FORM("s", "(strlen(@2) + ((\1) == @2))"),
	ALIKE("l", "((\1) - $1)", "((\1) - strtol(@1, 10))"),
	FORM("l", "(gG += \1)"),
	FORM("l", "fq(\1)"),
	ALIKE("ll", "fv(\1, \2)", "fv_two(\1, \2)"),
	FORM("l", "fv(\1)"),
	FORM("l", "ft(\1)"),
	FORM("lll", "(ft(\1) > ft(\2) ? ft(\3) : \1)"),
	FORM("ll", "(ft(\1) < 9 && ft(\2) || fw((\1) & 7, 3))"),
	FORM("ll", "fw((\1) & 15, \2)"),
	FORM("n", "fl(\1)"),
	FORM("n", "yq(\1)"),
	FORM("ns", "strlen(ya(\1, \2))"),
	FORM("l", "yn(\1)"),
	FORM("ll", "(yn(\1) + yi(\2, yn(\2)))"),
	FORM("s", "yh(\1)"),
	FORM("l", "yv(\1)"),
	FORM("l", "yl(\1)"),
	FORM("n", "yr(\1, 0)"),
	FAILS("q", "(@hist_log(\1)[66] + @hist_log(\1)[67] > 2)"),
	FORM("q", "(@count(\1) && @hist_linear(\1, -10, 90, 20)[2] ? @count(\1) : -@count(\1))"),
	FORM("s", "(strtol(substr(\1, -3, 0x7fffffffffffffff), 36) | strpos(\1, \"\"))"),
	FORM("sl", "strtol(substr(\1, \2, -1), 2)"),
	FORM("s", "strtol(\1, 1)"),
	FORM("sl", "((\1) =~ \"(a)(b)?(c)?\" ? strlen(matched(1) . matched(2) . matched(3)) : \2)"),
	ALIKE("l", "(+(\1) & 0b101010)", "((\1) & 42)"),
	ALIKE("l", "((\1) + %{ 5 * 3 %})", "((\1) + 15)"),
	ALIKE("l", "((\1) * @const(\"sizeof(long)\"))", "((\1) * 8)"),
	ALIKE("l", "@xu(\1, <)", "((\1) < 3 ? 7 : -7)"),
	FORM("ls", "zn(\1, \2)"),
	FORM("ln", "zd(\1, \2)"),
	FORM("lsls", "zk((\1) & 1, \2, \3 & 3, \4)"),
	FORM("lsn", "zz[(\1) & 1, \2, 3, \2, \3, \"x\", (\2) . \"y\", 8, (\1) & 1]++"),
	FORM("sn", "([\2, \1, *, *, *, \"x\", *, 8, *] in zz)"),
	FORM("sn", "strlen(zs(\1, \2))"),
	FORM("l", "fp_to_long(string_to_fp(sprintf(\"%f\", long_to_fp(\1))), 0, 0)"),
}, text_forms[] = {
	FORM("sll", "substr(\1, \2, \3)"),
	FORM("sl", "substr(\1, 0, \2)"),
	FORM("sl", "substr(\1, \2, strlen(\1))"),
	FORM("wl", "sprintf(\"%*d|\", \1, \2)"),
	FORM("wwl", "sprintf(\"%*.*d|\", \1, \2, \3)"),
	FORM("wwl", "sprintf(\"%-*.*x|\", \1, \2, \3)"),
	FORM("ws", "sprintf(\"%*s|\", \1, \2)"),
	FORM("ws", "sprintf(\"%.*s|\", \1, \2)"),
	FORM("wws", "sprintf(\"%-*.*s|\", \1, \2, \3)"),
	FORM("lss", "sprintf(\"%c%s%s\", \1, \2, \3)"),
	FORM("l", "sprintf(\"%5c|%-3c|\", \1, 64 + ((\1) & 31))"),
	FORM("lll", "sprintf(\"%#o %+5d % 05d\", \1, \2, \3)"),
	FORM("lll", "sprintf(\"%-05d|%i|%ld\", \1, \2, \3)"),
	FORM("ll", "sprintf(\"%08.3d|%+x\", \1, \2)"),
	FORM("s", "sprintf(\"%60.70s\", \1)"),
	FORM("s", "sprintf(\"%%%s%%\", \1)"),
	FORM("ss", "tokenize(\1, \2)"),
	FORM("ss", "(tokenize(\1, \",\") . tokenize(\"\", \2))"),
	FORM("sss", "str_replace(\1, \2, \3)"),
	FORM("ss", "str_replace(\1, \"\", \2)"),
	FORM("s", "text_str(\1)"),
	FORM("s", "string_quoted(\1)"),
	FORM("sll", "text_strn(\1, \2, \3)"),
	FORM("sl", "sprintln(\1, \2)"),
	FORM("sls", "sprintdln(\"/\", \1, \2, \3)"),
	ALIKE("ll", "sprintd(\", \", \1, \2)", "sprintf(\"%d, %d\", \1, \2)"),
	FORM("l", "errno_str(\1)"),
	FORM("l", "fp_to_string(long_to_fp(\1), 2)"),
	FORM("s", "((\1) =~ \"(.)(b)?\" ? matched(1) : \"none\")"),
	FORM("s", "((\1) =~ \"[^a]+\" ? matched(0) . sprint(ngroups()) : \"none\")"),
	FAILS("sl", "((\1) =~ \"(a)|(b)\" ? matched((\2) & 3) : \"\")"),
	FORM("ts", "(\1 = \2)"),
	FORM("ts", "(\1 .= \2)"),
	FORM("tts", "(\1 = \2 = \3)"),
	FORM("tss", "((\1 = \2) . \1 . (\3))"),
	FORM("ns", "fs(\1, \2)"),
	FORM("s", "fs(9, \1)"),
	ALIKE("sss", "((\1) . (\2) . (\3))", "((\1) . (\2) . (\3 . \"\"))"),
	FORM("ls", "((\1) ? \2 : (\1) < 0 ? \"less\" : \"null\")"),
	FORM("l", "usecs_to_string((\1) & 0xffffff)"),
	FORM("l", "nsecs_to_string((\1) & 0xffffffffff)"),
	FORM("l", "bytes_to_string((\1) & 0xffffffff)"),
	FORM("l", "ip_ntop(\1)"),
	FORM("l", "ctime((\1) & 0x7fffffff)"),
	FORM("l", "signal_str(\1)"),
	FORM("l", "errno_str(errno_p(\1))"),
	FORM("l", "capability_str(\1)"),
	FORM("s", "((\1) =~ \"b+\" ? matched_str() : \"\")"),
	FORM("ll", "return_str((\1) & 3, \2)"),
	FORM("sw", "xg(\1, \2)"),
	FORM("l", "user_string_n((\1) & 0xfff, 3, \"none\")"),
	FORM("l", "user_string2((\1) & 0xfff, \"none\")"),
	FORM("s", "@xs(\1)"),
	FORM("ss", "@xs(\1 . @xs(\2))"),
	ALIKE("s", "@choose_defined($no_such, \1)", "(\1)"),
	FORM("sl", "text_strn(\1, (\2) & 7, 1)"),
	FORM("sw", "sprintf(\"%*s%-*s|\", \2, \1, \2, \1)"),
	FORM("Cs", "sprintf(\"%*s\", \1, \2)"),
	FORM("Cs", "sprintf(\"%-*s|\", \1, \2)"),
	FORM("Css", "(sprintf(\"%*s\", \1, \2) . (\3))"),
	FORM("Cs", "substr(sprintf(\"%*s\", \1, \2), \1 - 3, 9)"),
	FORM("Cs", "str_replace(sprintf(\"%*s\", \1, \2), \" \", \"-_\")"),
	FORM("Css", "str_replace(sprintf(\"%-*s\", \1, \2), \"  \", \3)"),
	FORM("Cs", "text_strn(sprintf(\"%*s\", \1, \2), \1 - 1, 1)"),
	FORM("Cs", "tokenize(sprintf(\"%*s\", \1, \2), \"\\n\")"),
	FORM("Cs", "string_quoted(sprintf(\"%*s\\n\", \1, \2))"),
	FORM("Csn", "xj(sprintf(\"%*s\", \1, \2), \2, 1, \3)"),
	FORM("ssnn", "xj(\1, \2, \3, \4)"),
	FORM("s", "xr(\1)"),
	FORM("sl", "ed(\1, \2)"),
	FORM("sl", "ef(\1, \2)"),
	FORM("ls", "xy(\1, \2)"),
	FORM("l", "strftime(\"%Y-%m-%d %H:%M:%S %j %a %b %%\", (\1) & 0xffffffffff)"),
	FORM("ls", "fp_to_string(fp_div(long_to_fp(\1), string_to_fp(\2)), 3)"),
	FORM("l", "fp_to_string(fp32_to_fp64(\1), 4)"),
	FORM("l", "user_string_n_quoted((\1) & 0xfff, 9)"),
	FORM("l", "user_string_utf16((\1) & 0xfff, \"none\")"),
	FORM("l", "kernel_string_utf32((\1) & 0xfff, \"none\")"),
	FORM("l", "kernel_buffer_quoted((\1) & 0xfff, 9, 20)"),
	ALIKE("ss", "%( 1 == 1 %? (\1) %: \2 %)", "(\1)"),
	FAILS("sl", "substr(\1, 5 / (\2), 3)"),
	FAILS("sl", "sprintf(\"%*s\", 9 / (\2), \1)"),
	FAILS("sl", "(\1 . sprint(1 % (\2)))"),
	FORM("sn", "xq(\1, \2)"),
	FORM("sn", "xq(xq(\1, 1), \2)"),
	FORM("lslsls", "sprintf(\"%d%s%x%s%-7d%s\", \1, \2, \3, \4, \5, \6)"),
	FORM("s", "(@2 . (\1))"),
	FORM("ss", "((\1) . @1 . (\2))"),
	FORM("s", "(gH .= \1)"),
	FORM("s", "fm(\1)"),
	FORM("ls", "((ft(\1) & 1) ? fm(\2) : \2)"),
	FORM("sl", "fu(\1, \2)"),
	ALIKE("ss", "((\1) < (\2) ? \1 : \2)", "((\2) > (\1) ? \1 : \2)"),
	FORM("ns", "ya(\1, \2)"),
	FORM("s", "yt(\1)"),
	FORM("sl", "yu(\1, \2)"),
	FORM("sl", "substr(\1, -1, \2)"),
	FORM("s", "substr(\1, 2, 0x8000000000000000)"),
	FORM("sl", "text_strn(\1, -((\2) & 3), (\2) & 1)"),
	FORM("s", "str_replace(\1, \1, \"\")"),
	FORM("s", "tokenize(\1, \"\")"),
	FORM("ls", "sprintf(\"%.*s|\", -1 - ((\1) & 1), \2)"),
	FORM("l", "substr(sprintf(\"%600d\", \1), 590, 12)"),
	FORM("sss", "((\1) =~ \"^(.)(.*)$\" ? (matched(2) =~ \"^(.)\" ? matched(1) . (\2) : \3) : \"none\")"),
	FORM("ss", "((\1) =~ \"(a+)|(b+)\" && (\2) !~ \"z\" ? matched(0) : \"no\")"),
	FORM("l", "sprintf(\"%f|%.3e|%g\", long_to_fp(\1), long_to_fp(\1), fp_div(long_to_fp(\1), long_to_fp(7)))"),
	FORM("wl", "sprintf(\"%*.2f|%-12e|%+g\", \1, long_to_fp(\2), long_to_fp(\2), fp_sqrt(long_to_fp(\2)))"),
	FORM("sn", "zs(\1, \2)"),
	FORM("sl", "sprint(xlA[\2], xsA[\1], \"/\", xsA[\"a\"])"),
	FORM("ss", "((\1) =~ \"([a-c]+)\" && (\2) =~ \"([a-z])([a-z])?\" ? matched(2) . matched(1) : \"none\")"),
}, statement_forms[] = {
	ALIKE("l", "L. /= (\1) | 1;", "L. = L. / ((\1) | 1);"),
	ALIKE("l", "L. %= (\1) | 1;", "L. = L. % ((\1) | 1);"),
	FORM("l", "L. = L.++ + (\1);"),
	FORM("l", "L. = --L. * L.-- + (\1);"),
	FORM("l", "println(L. = \1, \" \", L.);"),
	FORM("s", "S. .= S. . (\1);"),
	FORM("s", "S. = substr(S., 1, 3) . (\1);"),
	FORM("s", "S. = tokenize(\1, \",; \"); N. = 0; while (S. != \"\" && N.++ < 4) { print(S., \"|\"); S. = tokenize(\"\", \",; \") } println(N.);"),
	FORM("ll", "if ((N. = \1) < (\2)) println(N.);"),
	ALIKE("lB", "N. = 0; for (;;) { if (N.++ >= ((\1) & 3)) break; if (1) \2 }", "N. = 0; while (1) { if (N.++ >= ((\1) & 3)) break; if (1) \2 }"),
	FORM("lB", "for (N. = 2; (L. = (\1)) > 0 && N. >= 0; N.--) \2"),
	ALIKE("lblbb", "if (\1) \2 else if (\3) \4 else \5", "if (\1) \2 else { if (\3) \4 else \5 }"),
	ALIKE("llb", "if (\1) if (\2) \3 else println(\"else\");", "if (\1) { if (\2) \3 else println(\"else\"); }"),
	ALIKE("lb", "if (!(\1)) { } else \2", "if (\1) \2"),
	FORM("b", "try { try \1 catch (N.) { println(\"in \", N.); error(\"again\") } } catch (N.) { println(\"out \", N.) }"),
	FORM("bb", "try { try { error(\"first\") } catch \1 } catch \2"),
	FORM("s", "try { error(\1) } catch (S.) { println(S.) }"),
	FORM("s", "try { error(sprintf(\"%300s\", \1)) } catch (N.) { println(strlen(N.)) }"),
	FORM("l", "try { println(user_string((\1) & 0xfff)) } catch (N.) { println(N.) }"),
	FORM("l", "try { println(kernel_string((\1) & 0xfff)) } catch (N.) { println(N.) }"),
	FORM("l", "println(user_string((\1) & 0xfff, \"fault\"), user_string_n((\1) & 0xfff, 3, \"too\"));"),
	FORM("ls", "try { println(fn(\1)) } catch (N.) { println(N.) }"),
	FORM("ls", "printd(\"-\", \1, \2); println();"),
	FORM("ls", "print(\1, \2); printf(\"\\n\");"),
	FORM("l", "for (N. = 0; N. < 3; N.++) { if (N. == ((\1) & 3)) continue; println(N.); }"),
	FORM("qB", "if (@count(\1)) foreach (N. in @hist_log(\1)) if (@hist_log(\1)[N.]) println(N.);"),
	FORM("wws", "printf(\"%*.*s|\\n\", \1, \2, \3);"),
	FORM("wwl", "printf(\"%-*.*d|%c|\\n\", \1, \2, \3, \3);"),
	FORM("lll", "printf(\"%#o %#X %+i % d\\n\", \1, \2, \3, \1);"),
	FORM("ql", "\1 <<< \2; println(@count(\1));"),
	FORM("e", "delete \1; println(\1);"),
	FORM("el", "println(\1 = \2, \" \", \1);"),
	FORM("lh", "if ((\1) == 3) { println(\"bye\"); exit(); println(\"still\"); }"),
	FORM("lh", "for (N. = 0; N. < 5; N.++) { if (N. == ((\1) & 7)) next; print(N.); }"),
	FORM("ll", "for (N. = 0; N. < 6; N.++) { try { if (N. == ((\1) & 3)) continue; if (N. == ((\2) & 7)) break; error(sprint(N.)); } catch (S.) { print(S.); if (N. > 4) break; continue; } print(\".\"); } println(N.);"),
	FORM("lb", "N. = 0; while (N.++ < 3) { try { if (N. & 1) error(\"odd\"); L. += N.; } catch { if ((\1) & 1) continue; } try \2 catch (S.) { println(S.); break; } }"),
	FORM("A", "N. = 0; foreach (N.k in \1 limit 2) N.++; println(N.);"),
	FORM("Al", "N. = 0; foreach (N.v = N.k in \1) { if (N. >= ((\2) & 3)) break; N.++; } println(N.);"),
	FORM("Q", "foreach (N.k+ in \1) if (@count(\1[N.k]) > 1) print(@hist_log(\1[N.k]));"),
	FORM("Q", "foreach (N.k+ in \1) { println(N.k, @max(\1[N.k]) - @min(\1[N.k])); if (@count(\1[N.k]) > 1) break; }"),
	FORM("ss", "S. = \1; for (N. = 0; N. < 3; N.++) S. = tokenize(S. . \",\" . (\2), \",;\") . sprint(N.); println(S.);"),
	FORM("lsnl", "N. = \1; S. = \2; xhA[N. & 3, S., \3] <<< \4; print(@hist_log(xhA[N. & 3, S., \3]));"),
	FORM("lsl", "N. = N.k = \1; xhA[N., \2, 1] <<< \3; foreach ([N.x, N.y, N.z] in xhA[*, *, 1]) if (N.x == N.k) N. += @count(xhA[N.x, N.y, N.z]); println(N.);"),
	FORM("", "N. = 0; foreach ([N.x, N.y, N.z] in xhA[*, \"a\", *]) N. += @count(xhA[N.x, N.y, N.z]) * 7 + N.x; println(N.);"),
	FORM("l", "xhA[1, \"a\", 1] <<< \1; print(@hist_linear(xhA[1, \"a\", 1], -20, 60, 20));"),
	FORM("sl", "delete xhA[*, \1, *]; println([*, *, \2] in xhA);"),
	FORM("l", "foreach (N. in xlA) if (N. == (\1) || N. == 7) delete xsA[sprint(N.)]; println([\"7\"] in xsA);"),
	FORM("ll", "xlA[\1] = 3; foreach (N. = N.k in xlA) if (N. == 3) xlB[N.k & 7]++; println(xlB[\2]);"),
	FORM("s", "N. = speculation(); speculate(N., \1); speculate(N., \"|\"); if (strlen(\1) & 1) commit(N.); else discard(N.); println();"),
	FORM("l", "printf(\"%4b|%2b|%1b|\\n\", (\1) | 0x20202020, (\1) | 0x2020, 0x41);"),
	FORM("lslss", "printf(\"%d|%s|%#x|%9s|%-7s|\\n\", \1, \2, \3, \4, \5);"),
	FORM("lb", "N. = 0; while (1) { try { if (N.++ > 2) break; if ((\1) & 1) error(sprintf(\"%d\", N.)); \2 } catch (N.e) { print(N.e, \" \"); if (N. > 1) continue } print(\".\") } println(N.);"),
	FORM("lsb", "try { try { if (\1) error(\2); \3 } catch (N.) { error(\"<\" . N. . \">\") } } catch (N.) { println(N.) }"),
	FORM("lll", "for (N. = 0; N. < 3; N.++) { for (N.j = 0; ; N.j++) { if (N.j > ((\1) & 3)) break; if (N.j == ((\2) & 3)) continue; if (N.j + N. == ((\3) & 7)) break; print(N.j); } println(); }"),
	FAILS("l", "for (N. = 0; N. < 9 / (\1); N.++) print(N.); println();"),
	FAILS("Al", "foreach (N. in \1 limit 9 / (\2)) println(7);"),
	FAILS("ws", "printf(\"%*s\\n\", 9 / (\1), \2);"),
	FAILS("ls", "xsA[\2 . sprint(5 / (\1))]++;"),
	FAILS("l", "delete xlA[4 / (\1)];"),
	FAILS("ql", "\1 <<< 7 / (\2);"),
	FAILS("ll", "if (1 / (\1) > 0 && 2 % (\2)) println(\"passed\");"),
	FAILS("sl", "println(fx(\1 . sprint(3 / (\2))));"),
	FORM("l", "foreach ([N.x, N.y-, N.z] in xhA limit ((\1) & 3) + 1) print(N.y, \" \"); println();"),
	FORM("l", "foreach ([N.x+, N.y, N.z] in xhA limit ((\1) & 3) + 1) print(N.x, \" \"); println();"),
	FORM("", "foreach ([N.x, N.y, N.z] in xhA @sum - limit 3) print(@sum(xhA[N.x, N.y, N.z]), \" \"); println();"),
	FORM("l", "N.m = ((\1) & 1) + 1; foreach ([N.x, N.y, N.z] in xhA @count + limit N.m) print(@count(xhA[N.x, N.y, N.z]), \" \"); println();"),
	ALIKE("", "foreach (N.- in xlA) println(N., \" \", xlA[N.]);", "foreach (N.v = N.- in xlA) println(N., \" \", N.v);"),
	ALIKE("l", "N.m = ((\1) & 3) + 1; foreach (N.+ in xlA limit N.m) print(N., \" \"); println();",
	      "N.m = ((\1) & 3) + 1; N.c = 0; foreach (N.+ in xlA) { if (N.c >= N.m) break; N.c++; print(N., \" \") } println();"),
	ALIKE("", "foreach (N.v- = N. in xlA) print(N.v, \" \"); println();", "foreach (N. in xlA-) print(xlA[N.], \" \"); println();"),
	ALIKE("bb", "%( systemtap_v >= \"1.0\" %? if (1) \1 %: if (1) \2 %)", "if (1) \1"),
	FORM("Cs", "N. = sprintf(\"%*s\", \1, \2); N. .= \2; println(strlen(N.), N.);"),
	FORM("Cs", "gx = sprintf(\"%-*s\", \1, \2); gx .= \"<\"; println(gx =~ \"<$\", strlen(gx));"),
	FORM("Cs", "xsA[sprintf(\"%*s\", \1, \2)] = \1; println([sprintf(\"%*s\", \1, \2)] in xsA);"),
	FORM("Csl", "try { if (\3) error(sprintf(\"%*s\", \1, \2)); println(\"no error\") } catch (N.) { println(strlen(N.) > 9) }"),
	FORM("lsnsl", "xG[(\1) & 3, \2, \3, \4, 0] <<< \5;"),
	FORM("", "foreach ([N.a, N.b, N.c, N.d, N.e] in xG @avg - limit 3) print(@avg(xG [N.a, N.b, N.c, N.d, N.e]), \" \"); println();"),
	FORM("l", "foreach ([N.a, N.b, N.c, N.d, N.e] in xG @max + limit \1) print(@max(xG [N.a, N.b, N.c, N.d, N.e]), \" \"); println();"),
	FORM("ln", "N. = 0; foreach ([N.a, N.b, N.c, N.d, N.e] in xG[\2, *, *, *, *] @count - limit (\1) & 7) N. += @sum(xG [N.a, N.b, N.c, N.d, N.e]) + N.a; println(N. != 1);"),
	FORM("s", "delete xF[*, \1, *, *, *]; println([*, \1, *, *, *] in xF);"),
	FORM("nl", "delete xF[\1, *, *, *, (\2) & 1]; println([\1, *, *, *, (\2) & 1] in xF, [*, *, *, *, *] in xF);"),
	FORM("s", "delete xG[*, *, *, \1, *]; println([*, *, *, \1, *] in xG);"),
	FORM("sn", "N. = 0; foreach ([N.a, N.b, N.c, N.d, N.e] in xF[*, \1, \2, *, *]) N. += N.a * 3 + strlen(N.d) + xF [N.a, N.b, N.c, N.d, N.e]; println(N.);"),
	FORM("s", "N. = 0; foreach (N.v = [N.a, N.b, N.c, N.d, N.e] in xF[*, *, *, \1, *]) N. += N.v + N.c; println(N.);"),
	FORM("l", "N. = 0; foreach ([N.a, N.b, N.c, N.d, N.e] in xF limit \1) N.++; println(N.);"),
	FORM("", "foreach (N.v- = [N.a, N.b, N.c, N.d, N.e] in xF limit 4) print(N.v, \" \"); println();"),
	FORM("l", "foreach ([N.a, N.b, N.c-, N.d, N.e] in xF limit \1) print(N.c, \" \"); println();"),
	FORM("lb", "N. = 0; while (ft(\1) > 3 && N.++ < 2) \2 println(N.);"),
	FORM("lB", "for (N. = 0; N. < 3 && ft(N.) < (\1); N.++) \2"),
	FORM("nn", "foreach (N.k+ in xlA) foreach (N.j+ in xlB) if (N.k == (\1) || N.j == (\2)) delete xsA[sprint(N.j)]; println([\"0\"] in xsA);"),
	FORM("nl", "foreach (N.k+ in xlA limit \2) { foreach (N.j- in xeA limit N.k + 1) { if (N.j > N.k) continue; if (N.j == (\1)) break; delete xlB[N.j & 7]; xsA[sprint(N.j)]++ } } println([\1] in xlB);"),
	FORM("n", "foreach (N.k+ in xeA) { if (N.k == (\1)) delete xlB; else xlB[N.k & 7] += N.k; } println(xlB[3], xlB[6]);"),
	FORM("s", "S. = \1; for (N. = 0; N. < 4 && S. =~ \"^([^,; ]*)[,; ](.*)$\"; N.++) { print(matched(1), \"|\"); S. = matched(2) } println(N.);"),
	FORM("ss", "try { foreach (N.k+ in xsA limit 5) if (N.k . (\1) =~ \"(a)?(b|c)\") { print(matched(1), \":\"); if (matched(2) == (\2)) error(matched(0)) } } catch (N.m) { println(N.m) }"),
	FORM("lb", "N. = 0; while (N.++ < 2) { try { if (ft(\1) > 4) error(sprint(ft(N.))); \2 } catch (N.m) { println(N.m, ft(N.)) } }"),
	FORM("ls", "if (fw((\1) & 7, 2) == 3 || fm(\2) < \"b\") println(fu(\2, \1)); else println(fl((\1) & 7));"),
	FORM("", "print(gG, \" \", gH); printf(\"%s %d\\n\", @2, $1);"),
	FORM("l", "if (\1) N.z = 7; println(N.z);"),
	FORM("ls", "for (N. = 0; N. < 3; N.++) { if (N. == ((\1) & 3)) N.y = \2; N.x .= N.y . \"|\"; } println(N.x);"),
	FORM("q", "if (@count(\1)) foreach (N.b in @hist_log(\1)) { if (@hist_log(\1)[N.b] > 1) { println(N.b); break; } }"),
	FORM("q", "N. = 0; if (@count(\1)) foreach (N.b in @hist_linear(\1, -10, 90, 20)) { if (!@hist_linear(\1, -10, 90, 20)[N.b]) continue; N. += @hist_linear(\1, -10, 90, 20)[N.b]; } println(N.);"),
	FORM("n", "foreach (N.k in yQ @count- limit \1) println(N.k, @sum(yQ[N.k]));"),
	FORM("n", "foreach (N.k in yQ @max+ limit 2) { try { if (N.k == \1) error(\"k\"); print(@avg(yQ[N.k])); } catch { continue } print(@hist_log(yQ[N.k])); }"),
	FORM("lh", "foreach (N.k+ in xeA) { try { foreach (N.b in yQ @sum- limit 2) { if (N.k + N.b == ((\1) & 7)) next; print(N.b) } if (N.k & 1) error(sprint(N.k)) } catch (N.m) { println(N.m); if (N.k > (\1)) next } }"),
	FORM("sl", "yW[\1] = \2; foreach (N.v = N.k in yW) N. += N.v + strlen(N.k); println(N.);"),
	FORM("l", "yV[(\1) & 7] <<< \1; foreach (N.k+ in yV) println(N.k, @count(yV[N.k]));"),
	FORM("nn", "foreach ([N.k, N.l+] in xlD[\1, *] limit \2) print(N.k, N.l, \" \"); println();"),
	FORM("sn", "foreach ([N.k-, N.l] in xsD[*, \1] limit \2 + 1) { if (N.k == 2) delete xlD[N.k, 7]; print(N.k) } println([1, 7] in xlD);"),
	FORM("s", "if ((\1) =~ \"(a)|(b)|(,)\") { N. = ngroups(); for (N.i = 0; N.i < N.; N.i++) print(matched(N.i), \"|\"); println(N.) }"),
	FORM("l", "printf(\"%c%c%5c%-5c|\\n\", 65 + ((\1) & 7), 10, ((\1) & 63) + 1, 66);"),
	FORM("l", "printf(\"%0*d|%-*d|%+.*d\\n\", (\1) & 15, \1, (\1) & 15, \1, (\1) & 15, \1);"),
	FORM("ll", "if ((\1) == 1 || ((\2) == 2 && (gz = 3)) || gz++) println(gz);"),
	FORM("lb", "N. = 0; while (1) { if (N.++ > ((\1) & 3)) break; if (N. == 2) continue; \2 } println(N.);"),
	FORM("s", "delete yW[\1]; println([\1] in yW);"),
	FORM("l", "delete yV; yV[1] <<< \1; println(@count(yV[1]));"),
	FORM("e", "println(\1++ + ++\1, \1-- - --\1);"),
	FORM("s", "S. = \1; N. = 0; while (S. != \"\") { if (N.++ > 5) break; S. = substr(S., 1, strlen(S.) - 1) } println(N., S.);"),
	FORM("l", "if ((\1) > gz) gz = \1;"),
	FORM("ll", "if (!([(\1) & 7] in xlB) || (\2) < xlB[(\1) & 7]) xlB[(\1) & 7] = \2;"),
	FORM("s", "S. = \"\"; for (N. = 0; N. < 4; N.++) for (N.j = N.; N.j < 5; N.j++) { if (strlen(S.) > 30) break; S. .= substr(\1, N.j, 1) . \",\" } println(S.);"),
	FORM("ss", "zT[0] = \1; zT[1] = \2; zT[2] = \"b\"; for (N.i = 0; N.i < 3; N.i++) for (N.j = N.i + 1; N.j < 3; N.j++) if (zT[N.j] < zT[N.i]) { N.t = zT[N.i]; zT[N.i] = zT[N.j]; zT[N.j] = N.t } println(zT[0], \"<\", zT[1], \"<\", zT[2]);"),
	FORM("lh", "if ((\1) == 5) { println(\"gone\"); abort(); println(\"still\"); }"),
	FORM("l", "printf(\"%8.2f|%-9g|%e\\n\", long_to_fp(\1), fp_div(long_to_fp(\1), long_to_fp(3)), long_to_fp(\1));"),
	FORM("ls", "zp(\1, \2);"),
	FORM("sn", "foreach (N.v = [N.a, N.b, N.c, N.d, N.e, N.f, N.g, N.h, N.i] in zz[*, \1, *, *, *, *, *, *, *] limit \2 + 1) N. += N.a + strlen(N.g) * 3 + N.v; println(N. > 0);"),
	FORM("s", "foreach ([N.a, N.b, N.c, N.d, N.e, N.f, N.g, N.h, N.i] in zz) if (N.b == (\1)) { N. = N.a + N.i; break } delete zz[*, \1, *, *, *, *, *, *, *]; println([*, \1, *, *, *, *, *, *, *] in zz);"),
	FORM("sb", "for (N. = 0; N. < 3; N.++) { if (zs(\1, N.) == \"0\") continue; try { if (zs(\1, N.) == \"b\") error(\"b\"); \2 } catch (N.m) { println(N.m); break } }"),
	FORM("ll", "foreach (N.k+ in xeA) { foreach (N.j+ in xeA limit 2) { if (xeA[N.k] + xeA[N.j] == ((\1) & 15)) { delete xsA[sprint(N.k)]; break } xsA[sprint(N.k & 3)] += N.j } if (N.k > (\2)) break } println(xsA[\"0\"]);"),
	FORM("q", "try { printf(\"%d %d %d\\n\", @variance(\1), @variance(\1, 2), @max(\1)) } catch (N.m) { println(N.m) }"),
	FORM("lsl", "try { zd(\1, 3); println(zn(\3, \2)) } catch (N.m) { println(N.m) }"),
};

// ---- kids -----------------------------------------------------------------------------------------------------------

// Of what can be changed here; NULL: there is none.
static struct node *changed(struct gen *g, enum type type)
{
	const struct global *a = gen_writable(g, chance(g->rng, 60) ? GLOBAL_SCALAR : GLOBAL_ARRAY, type);

	return a ? gen_element(g, a) : NULL;
}

static struct node *width(struct gen *g)
{
	static const char *const widths[] = { "0", "1", "3", "7", "12", "-1", "-4", "-9" };
	struct node *n;

	if (below(g->rng, 2))
		return node_leaf(g->tree, T_LONG, *pick(g->rng, widths));
	n = gen_expr(g, T_LONG, 1);
	return gen_form(g, T_LONG, 1, &n, "((\1) %% 20)");
}

// A text of so many bytes just fits, or not.
static struct node *near_cap(struct gen *g)
{
	static const int nears[] = { -9, -2, -1, 0, 1, 2, 9 };
	unsigned cap = g->script->max_string ? g->script->max_string : 512;

	return node_leaf(g->tree, T_LONG, sp_arena_printf(ARENA, "%d", (int)cap + *pick(g->rng, nears)));
}

static struct node *make_kid(struct gen *g, char letter)
{
	const struct global *a;
	struct node *block;

	switch (letter) {
	case 'l':
		return gen_expr(g, T_LONG, 2);
	case 's':
		return gen_expr(g, T_STR, 2);
	case 'n':
		return gen_small(g, 1);
	case 'w':
		return width(g);
	case 'C':
		return near_cap(g);
	case 'e':
		return changed(g, T_LONG);
	case 't':
		return changed(g, T_STR);
	case 'q':
		a = gen_writable(g, GLOBAL_STAT, T_NONE);
		return a ? gen_element(g, a) : NULL;
	case 'A':
	case 'Q':
		a = gen_global(g, letter == 'A' ? GLOBAL_ARRAY : GLOBAL_STAT, T_NONE);
		return a && a->n_keys == 1 && !a->is_own ? node_leaf(g->tree, T_NONE, a->name) : NULL;
	case 'h':
		return g->func ? NULL : node_leaf(g->tree, T_LONG, "0");
	case 'B':
		g->loops++;
		block = gen_block(g, 1 + below(g->rng, 2));
		g->loops--;
		return block;
	default:
		return gen_block(g, 1 + below(g->rng, 2));
	}
}

// L., S. and N. are names.
static const char *with_names(struct gen *g, const char *text, const char *const names[3])
{
	static const char letters[] = "LSN";
	struct sp_buf out = { 0 };
	const char *form, *at;

	for (const char *s = text; *s; s++) {
		at = s[1] == '.' ? strchr(letters, *s) : NULL;
		if (at) {
			sp_buf_puts(&out, names[at - letters]);
			s++;
		} else {
			sp_buf_putc(&out, *s);
		}
	}
	form = sp_arena_strdup(ARENA, sp_buf_str(&out));
	sp_buf_deinit(&out);
	return form;
}

static struct node *make(struct gen *g, enum type type, const struct rare *r, const char *const names[3])
{
	struct node *kids[MAX_KIDS] = { NULL }, *n;
	unsigned n_kids = (unsigned)strlen(r->kids);

	if (r->fails && !g->tries)
		return NULL;
	for (unsigned i = 0; i < n_kids; i++) {
		kids[i] = make_kid(g, r->kids[i]);
		if (!kids[i])
			return NULL;
	}
	n = node_form(g->tree, type, names ? with_names(g, r->form, names) : r->form, n_kids, kids);
	if (r->alt)
		n->alt = names ? with_names(g, r->alt, names) : r->alt;
	return n;
}

struct node *gen_rare(struct gen *g, enum type type)
{
	if (g->is_plain || g->nesting > 3)
		return NULL;
	return type == T_LONG ? make(g, type, &long_forms[below(g->rng, SP_ARRAY_SIZE(long_forms))], NULL) :
				make(g, type, &text_forms[below(g->rng, SP_ARRAY_SIZE(text_forms))], NULL);
}

struct node *gen_rare_statement(struct gen *g)
{
	const struct rare *r = &statement_forms[below(g->rng, SP_ARRAY_SIZE(statement_forms))];
	const struct var *l = gen_assignable(g, T_LONG), *s = gen_assignable(g, T_STR);
	const char *names[3];

	if (!l || !s || (strchr(r->kids, 'B') && g->loops >= 2))
		return NULL;
	names[0] = l->name;
	names[1] = s->name;
	names[2] = sp_arena_printf(ARENA, "%sn%u", g->func ? g->func->name : "", g->labels++);
	return make(g, T_NONE, r, names);
}
