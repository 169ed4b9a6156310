# SPDX-License-Identifier: GPL-2.0-or-later
# Reads metrics in Prometheus' text format from a file, checks them as strictly as the format is described, and prints their lines
# sorted, as they were, without spile's own (--all: with them).
import re
import sys

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
LINE = re.compile(r'(%s)(?:\{(%s(?:,%s)*)\})? (-?[0-9]+(?:\.[0-9]+)?)$' % (NAME, LABEL, LABEL))
ENDS = {'summary': ('_sum', '_count'), 'histogram': ('_bucket', '_sum', '_count')}


def fail(text):
    print(text)
    sys.exit(1)


def check_histogram(name, lines):
    series = {}
    for line, labels, value in lines:
        key = tuple(sorted((k, v) for k, v in labels.items() if k != 'le'))
        series.setdefault(key, {}).setdefault(line, []).append((labels.get('le'), float(value)))
    for key, parts in series.items():
        buckets = [(float(le), count) for le, count in parts[name + '_bucket']]
        if buckets != sorted(buckets) or [c for _, c in buckets] != sorted(c for _, c in buckets):
            fail('buckets of %s %s are not in order, or do not count those before' % (name, key))
        if len(set(le for le, _ in buckets)) != len(buckets) or buckets[-1][0] != float('inf'):
            fail('buckets of %s %s are not all, or twice' % (name, key))
        if buckets[-1][1] != parts[name + '_count'][0][1]:
            fail('the buckets of %s %s do not count all' % (name, key))


def check(text):
    families, seen, family = {}, set(), None
    if text and not text.endswith('\n'):
        fail('the last line does not end')
    for line in text.split('\n')[:-1]:
        head = re.fullmatch(r'# TYPE (%s) (counter|gauge|summary|histogram)' % NAME, line)
        if head:
            family = head.group(1)
            if family in families:
                fail('twice: ' + family)
            families[family] = (head.group(2), [])
            continue
        if re.fullmatch(r'# HELP %s [^\n]*' % NAME, line):
            continue
        sample = LINE.match(line)
        if not sample:
            fail('not a sample: ' + line)
        pairs = re.findall(LABEL, sample.group(2) or '')
        labels = dict(pairs)
        if len(labels) != len(pairs) or any(k.startswith('__') for k in labels):
            fail('labels: ' + line)
        key = (sample.group(1), tuple(sorted(labels.items())))
        if key in seen:
            fail('twice: ' + line)
        seen.add(key)
        kind, lines = families.get(family, (None, None))
        if kind is None or sample.group(1) not in [family + end for end in ENDS.get(kind, ('',))]:
            fail('a sample of another family than %s: %s' % (family, line))
        lines.append((sample.group(1), labels, sample.groups()[-1]))
    for name, (kind, lines) in families.items():
        if kind == 'histogram':
            check_histogram(name, lines)


text = open(sys.argv[-1], encoding='utf-8', newline='\n').read()
check(text)
for line in sorted(text.split('\n')[:-1]):
    if '--all' in sys.argv or not re.match(r'(# (HELP|TYPE) )?spile_', line):
        print(line)
