#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a program that knows the values of its parameters, locals and results, and a script that prints them.

    generate.py SEED FUNCTIONS PROGRAM.c SCRIPT.stp EXPECTED [return]

A program that is called x.rs is one in Rust. Each line of EXPECTED is what SCRIPT prints of one variable at one place, when it can be read there. With "return", results alone.
"""
import random
import sys

NUMBERS = ['short', 'int', 'unsigned', 'long', 'long long', 'float', 'double', 'unsigned char', 'long double']
FLOATS = ('float', 'double', 'long double')


def number(kind):
    """A value as C has it, and as spile shows it."""
    if kind in FLOATS:
        text = '%d.%s' % (random.randint(1, 900), random.choice(['5', '25', '75']))
        return text, text
    if kind == 'unsigned char':
        n = random.randint(65, 90)
        return str(n), "'%c'" % n
    low, high = {'short': (-30000, 30000), 'int': (-2**31 + 1, 2**31 - 1), 'unsigned': (0, 2**32 - 1)}.get(kind, (-2**30, 2**30))
    n = random.randint(low, high)
    return str(n) + ('U' if kind == 'unsigned' else ''), str(n)


class Program:
    def __init__(self, name):
        self.name = name
        self.types = ['#include <stdio.h>']
        self.code = []
        self.main = []
        self.probes = []
        self.expected = []

    def value(self, tag):
        """A type, an initializer of it, and what is shown."""
        if random.random() < 0.65:
            kind = random.choice(NUMBERS)
            return (kind,) + number(kind)
        kinds = [random.choice(NUMBERS) for _ in range(random.randint(1, 4))]
        values = [number(kind) for kind in kinds]
        self.types.append('struct %s { %s };' % (tag, ' '.join('%s m%d;' % (k, i) for i, k in enumerate(kinds))))
        return ('struct ' + tag, '{ %s }' % ', '.join(v[0] for v in values),
                '{%s}' % ', '.join('.m%d=%s' % (i, v[1]) for i, v in enumerate(values)))

    def show(self, point, what, variables):
        body = []
        for variable, shown in variables:
            body.append('printf("%s %s %%s\\n", @defined($%s$) ? $%s$ : "absent")' % (what, variable, variable, variable))
            self.expected.append('%s %s %s' % (what, variable, shown))
        if body:
            self.probes.append('probe %s { %s }' % (point, ' '.join(body)))

    def function(self, i, only_return):
        result = self.value('r%d' % i)
        params = [self.value('p%d_%d' % (i, k)) for k in range(random.randint(0, 6))]
        local = [] if only_return else [self.value('l%d_%d' % (i, k)) for k in range(random.randint(0, 3))]
        static = 'static ' if random.random() < 0.5 else ''
        self.code += ['%s__attribute__((noinline)) %s f%d(%s)' % (static, result[0], i, ', '.join('%s a%d' % (p[0], k) for k, p in enumerate(params)) or 'void'),
                      '{', '\t%s r = %s;' % result[:2], '\tkeep(&r);']  # clang leaves out results that callers know
        self.code += ['\t%s b%d = %s;' % (v[0], k, v[1]) for k, v in enumerate(local)]
        # gcc describes structures by the stack that nobody needs as if they were there.
        kept = [v for v, kind in [('a%d' % k, p[0]) for k, p in enumerate(params)] + [('b%d' % k, v[0]) for k, v in enumerate(local)]
                if random.random() < 0.6 or kind.startswith('struct')]
        self.code += ['\tkeep(&%s);' % v for v in kept]
        mark = len(self.code) + 1
        self.code += ['\tmark();'] + ['\tkeep(&%s);' % v for v in kept] + ['\treturn r;', '}']
        # What is called with comes from memory that the optimizer knows nothing of, for some.
        self.main += ['\t{'] + ['\t\t%s%s x%d = %s;' % ('static ' if random.random() < 0.5 else '', p[0], k, p[1]) for k, p in enumerate(params)]
        self.main += ['\t\tkeep(&x%d);' % k for k in range(len(params))]
        self.main += ['\t\t%s y = f%d(%s);' % (result[0], i, ', '.join('x%d' % k for k in range(len(params)))), '\t\tkeep(&y);', '\t}']
        point = 'process("./%s")' % self.name
        if not only_return:
            shown = [('a%d' % k, p[2]) for k, p in enumerate(params)]
            self.show('%s.function("f%d").call' % (point, i), 'f%d call' % i, shown)
            self.marks.append((i, mark, shown + [('b%d' % k, v[2]) for k, v in enumerate(local)]))
        self.show('%s.function("f%d").return' % (point, i), 'f%d return' % i, [('return', result[2])])


class RustProgram(Program):
    NAMES = {'short': 'i16', 'int': 'i32', 'unsigned': 'u32', 'long': 'i64', 'long long': 'u64', 'float': 'f32', 'double': 'f64',
             'unsigned char': 'u8', 'long double': 'i8'}

    def number(self):
        """A type, a value as Rust has it, and as spile shows it."""
        kind = random.choice(NUMBERS)
        if kind == 'long double':
            n = str(random.randint(-128, 127))
            return 'i8', n, n
        value, shown = number('long' if kind == 'long long' else kind)
        if kind == 'long long':
            value = shown = shown.lstrip('-')
        return self.NAMES[kind], value.rstrip('U'), value if kind == 'unsigned char' else shown

    def struct(self, tag):
        members = [self.number() for _ in range(random.randint(1, 4))]
        self.types.append('#[derive(Clone, Copy)] pub struct S%s { %s }' % (tag, ', '.join('m%d: %s' % (i, m[0]) for i, m in enumerate(members))))
        return ('S' + tag, 'S%s { %s }' % (tag, ', '.join('m%d: %s' % (i, m[1]) for i, m in enumerate(members))),
                '{%s}' % ', '.join('.m%d=%s' % (i, m[2]) for i, m in enumerate(members)))

    def enumeration(self, tag):
        variants = [[self.number() for _ in range(random.randint(0, 3))] for _ in range(random.randint(2, 4))]
        names = ['V%d%s' % (i, '(%s)' % ', '.join(m[0] for m in v) if v else '') for i, v in enumerate(variants)]
        self.types.append('#[derive(Clone, Copy)] pub enum E%s { %s }' % (tag, ', '.join(names)))
        i = random.randrange(len(variants))
        chosen = variants[i]
        if not any(variants):  # an enumeration as C has it
            return 'E' + tag, 'E%s::V%d' % (tag, i), 'V%d' % i
        return ('E' + tag, 'E%s::V%d%s' % (tag, i, '(%s)' % ', '.join(m[1] for m in chosen) if chosen else ''),
                '{.V%d={%s}}' % (i, ', '.join('.__%d=%s' % (k, m[2]) for k, m in enumerate(chosen))))

    def option(self):
        kind, value, shown = self.number()
        if random.random() < 0.3:
            return 'Option<%s>' % kind, 'None', '{.None={}}'
        return 'Option<%s>' % kind, 'Some(%s)' % value, '{.Some={.__0=%s}}' % shown

    def value(self, tag):
        tag = tag.replace('_', 'x')
        return random.choice([self.number, self.number, self.number, lambda: self.struct(tag), lambda: self.enumeration(tag), self.option])()

    def function(self, i, only_return):
        result = self.value('r%d' % i)
        # Optimised code describes a structure whose address is on the stack as if it were there itself.
        params = [self.value('p%d_%d' % (i, k)) for k in range(random.randint(0, 3))]
        local = [self.value('l%d_%d' % (i, k)) for k in range(random.randint(0, 3))]
        self.code += ['#[inline(never)] pub fn f%d(%s) -> %s' % (i, ', '.join('a%d: %s' % (k, p[0]) for k, p in enumerate(params)), result[0]),
                      '{', '\tlet r: %s = keep(%s);' % result[:2]]
        self.code += ['\tlet b%d: %s = %s;' % ((k,) + v[:2]) for k, v in enumerate(local)]
        kept = ['a%d' % k for k in range(len(params))] + ['b%d' % k for k in range(len(local))]
        self.code += ['\tkeep(&%s);' % v for v in kept]
        mark = len(self.code) + 1
        self.code += ['\tmark();'] + ['\tkeep(&%s);' % v for v in kept] + ['\tr', '}']
        self.main += ['\tkeep(f%d(%s));' % (i, ', '.join('keep(%s)' % p[1] for p in params))]
        point = 'process("./%s")' % self.name
        shown = [('a%d' % k, p[2]) for k, p in enumerate(params)]
        self.show('%s.function("%s::f%d").call' % (point, self.name, i), 'f%d call' % i, shown)
        self.marks.append((i, mark, shown + [('b%d' % k, v[2]) for k, v in enumerate(local)]))
        self.show('%s.function("%s::f%d").return' % (point, self.name, i), 'f%d return' % i, [('return', result[2])])

def main():
    seed, n, source, script, expected = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:6]
    random.seed(seed)
    name = source.rsplit('/', 1)[-1].rsplit('.', 1)[0]
    is_rust = source.endswith('.rs')
    p = (RustProgram if is_rust else Program)(name)
    p.marks = []
    for i in range(n):
        p.function(i, sys.argv[6:] == ['return'])
    head = p.types + ['__attribute__((noinline)) static void keep(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }',
                      '__attribute__((noinline)) static void mark(void) { __asm__ volatile("" : : : "memory"); }']
    if is_rust:
        head = ['#![allow(dead_code, unused)]', 'use std::hint::black_box as keep;', '#[inline(never)] fn mark() { keep(0); }'] + p.types[1:]
    for i, line, shown in p.marks:
        p.show('process("./%s").statement("%sf%d@%s:%d")' % (name, name + '::' if is_rust else '', i, source.rsplit('/', 1)[-1], len(head) + line), 'f%d mark' % i, shown)
    with open(source, 'w') as out:
        begin, end = ('fn main()', []) if is_rust else ('int main(void)', ['\treturn 0;'])
        out.write('\n'.join(head + p.code + [begin, '{'] + p.main + end + ['}', '']))
    with open(script, 'w') as out:
        out.write('\n'.join(p.probes) + '\n')
    with open(expected, 'w') as out:
        out.write('\n'.join(p.expected) + '\n')


main()
