# SPDX-License-Identifier: GPL-2.0-or-later
# A file of perf record, for tests: python3 perf_data.py FILE [big] [zero] [cut] [open] [packed] [overlap] [steer] [MAPPED-FILE]
# Two processors see the tracepoint work:job, and samples of a clock; there is a record of a type that nobody knows, and AUX traces.
# big: of a machine of that byte order; zero: a record of 0 bytes among them; cut: its last bytes are not there; open: no size of the
# data; packed: in compressed records, one of which ends in the midst of a record, and zero and cut are in those; overlap: 500 events
# whose numbers are the whole file; steer: names that are commands of a terminal. MAPPED-FILE is what the process has mapped, at 0x400000.
import struct
import sys

WORDS = sys.argv[2:]
E = ">" if "big" in WORDS else "<"
FILES = [w for w in WORDS if w.startswith("/")]
PROGRAM = (FILES[0] if FILES else "/srv/bin/work").encode()
TP, CLOCK = 5001, 5002  # ids of the events
IDENTIFIER, IP, TID, TIME, ADDR, CPU, PERIOD, CHAIN, RAW = 1 << 16, 1, 2, 4, 8, 1 << 7, 1 << 8, 1 << 5, 1 << 10


def p(kinds, *values):
    return struct.pack(E + kinds, *values)


def text(t, room=64):
    t = t.encode() + b"\0"
    room = (len(t) + room - 1) // room * room
    return p("I", room) + t.ljust(room, b"\0")


def record(kind, body, misc=0):
    body = body.ljust((len(body) + 7) // 8 * 8, b"\0")
    return p("IHH", kind, misc, 8 + len(body)) + body


def attr(kind, config, sample_type):
    flags = (18, 8, 9)  # sample_id_all, mmap, comm
    bits = sum(1 << (63 - n if E == ">" else n) for n in flags)
    return p("IIQQQQQ", kind, 96, config, 1, sample_type, 0, bits).ljust(96, b"\0")


def tail(ident, time, cpu, pid=0, tid=0):
    return p("IIQIIQ", pid, tid, time, cpu, 0, ident)  # TID TIME CPU IDENTIFIER


def comm(pid, name, time):
    name = name.encode() + b"\0"
    return record(3, p("II", pid, pid) + name.ljust((len(name) + 7) // 8 * 8, b"\0") + tail(CLOCK, time, 0, pid, pid))


def mmap2(pid, start, length, path, time, build_id=b"", prot=5):
    path = path + b"\0"
    where = p("B3x", len(build_id)) + build_id.ljust(20, b"\0") if build_id else p("IIQQ", 8, 1, 4711, 0)
    return record(10, p("iiQQQ", pid, pid, start, length, 0) + where + p("II", prot, 2) + path.ljust((len(path) + 7) // 8 * 8, b"\0") +
                  tail(CLOCK, time, 0), 1 << 14 if build_id else 0)


def job(number, name, size, time, cpu, pid=700):
    name = name.encode() + b"\0"
    raw = p("HBBi", 77, 0, 0, pid) + p("iI", number, 28 | len(name) << 16) + p("Q", size) + p("I", 0xffffffff) + name
    raw = raw.ljust((4 + len(raw) + 7) // 8 * 8 - 4, b"\0")
    return record(9, p("QQIIQIIQ", TP, 0xffffffff81000010, pid, pid, time, cpu, 0, 1) + p("I", len(raw)) + raw, 1)


def tick(addresses, time, cpu, pid=700):
    chain = [2 ** 64 - 512] + addresses  # PERF_CONTEXT_USER
    return record(9, p("QQIIQIIQ", CLOCK, addresses[0], pid, pid, time, cpu, 0, 1000000) + p("Q", len(chain)) +
                  b"".join(p("Q", a) for a in chain), 2)


def packed(content):
    block = p("I", 1 | len(content) << 3)[:3] if E == "<" else b""  # stored, the last
    frame = b"\x28\xb5\x2f\xfd\0\x38" + block + content
    return p("IHH", 81, 0, 8 + len(frame)) + frame


def auxtrace(cpu, idx, content):
    return record(71, p("QQQIiII", len(content), 0, 7, idx, -1, cpu, 0)) + content


FORMAT = """name: job
ID: 77
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:int number;	offset:8;	size:4;	signed:1;
	field:__data_loc char[] name;	offset:12;	size:4;	signed:0;
	field:u64 bytes;	offset:16;	size:8;	signed:0;
	field:u32 flags;	offset:24;	size:4;	signed:0;

print fmt: "number=%d name=%s bytes=%llu", REC->number, __get_str(name), REC->bytes
"""


def tracing_data():
    def named(name, data):
        return name + b"\0" + p("Q", len(data)) + data

    fmt = FORMAT.encode()
    return (b"\x17\x08\x44tracing0.6\0" + p("BBI", E == ">", 8, 4096) + named(b"header_page", b"\n") + named(b"header_event", b"\n") +
            p("I", 0) + p("I", 1) + b"work\0" + p("I", 1) + p("Q", len(fmt)) + fmt + p("IIQ", 0, 0, 0))


BOTH = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
ATTRS = ((attr(2, 77, BOTH | RAW), "work:job", TP), (attr(1, 0, BOTH | CHAIN), "cpu-clock", CLOCK))
BUILD_ID = bytes(range(0x10, 0x24))
RECORDS = (comm(700, "work", 0) + mmap2(700, 0x400000, 0x10000, PROGRAM, 0, b"" if FILES else BUILD_ID) +
           job(1, "read", 64, 3000000000, 0) + job(3, "write", 8192, 5000000000, 0) +
           record(99, b"nobody knows") +
           tick([0x400500, 0x400600], 4000000000, 1) + job(2, "", 0, 4000000001, 1) +
           record(7, p("IIIIQ", 701, 700, 701, 700, 4500000000) + tail(CLOCK, 4500000000, 1)) +
           comm(701, "helper", 4600000000) + tick([0x400700], 4700000000, 1, 701) +
           record(4, p("IIIIQ", 701, 700, 701, 700, 4800000000) + tail(CLOCK, 4800000000, 1)) +
           auxtrace(0, 0, b"of processor 0, ") + auxtrace(1, 1, b"of 1") + auxtrace(0, 0, b"and more") +
           (record(9, b"") if "short" in WORDS else b"") +
           (b"\0" * 8 if "zero" in WORDS else b"") + record(68, b""))
if "steer" in WORDS:
    RECORDS += comm(702, "a\033[31mb\nc", 4900000000)
if "packed" in WORDS:
    content = comm(700, "work", 0) + job(1, "read", 64, 3000000000, 0) + (b"\0" * 8 if "zero" in WORDS else b"") + job(3, "", 9, 4000000000, 0)
    RECORDS = packed(content[:100]) + packed(content[100:-3 if "cut" in WORDS else None])
if "overlap" in WORDS:
    ATTRS *= 250
IDS = b"".join(p("Q", ident) for _, _, ident in ATTRS)
FEATURES = {
    1: tracing_data(),
    2: p("IHH", 67, 2 | 1 << 15, 52) + p("i", -1) + BUILD_ID + p("B3x", 20) + PROGRAM[:15].ljust(16, b"\0"),
    3: text("box"), 4: text("6.12.1"), 6: text("x86_64"),
    11: p("I", 2) + text("perf") + text("record"),
    12: p("II", len(ATTRS), 96) + b"".join(a + p("I", 1) + text(name) + p("Q", ident) for a, name, ident in ATTRS),
    29: p("IIQQ", 1, 1, 1700000000000000000, 1000000000),
}
IDS_AT = 104
ATTRS_AT = IDS_AT + len(IDS)
DATA_AT = ATTRS_AT + len(ATTRS) * 112
attrs = b"".join(a + (p("QQ", 0, DATA_AT) if "overlap" in WORDS else p("QQ", IDS_AT + 8 * i, 8)) for i, (a, _, _) in enumerate(ATTRS))
size = 0 if "open" in WORDS else len(RECORDS)
header = (b"2ELIFREP" if E == ">" else b"PERFILE2") + p("QQ", 104, 112)
header += p("QQQQQQ", ATTRS_AT, len(attrs), DATA_AT, size, 0, 0)
header += b"".join(p("Q", sum(1 << f % 64 for f in FEATURES if f // 64 == w)) for w in range(4))
at = DATA_AT + len(RECORDS) + 16 * len(FEATURES)
table, parts = b"", b""
for feature in sorted(FEATURES):
    table += p("QQ", at + len(parts), len(FEATURES[feature]))
    parts += FEATURES[feature]
whole = header + IDS + attrs + RECORDS + (b"" if "open" in WORDS else table + parts)
with open(sys.argv[1], "wb") as out:
    out.write(whole[:DATA_AT + len(RECORDS) - 5] if "cut" in WORDS and "packed" not in WORDS else whole)
