# SPDX-License-Identifier: GPL-2.0-or-later
# examples/files, those that look at names: what they tell of known files that are made, looked for and removed.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
mkdir /dev/shm/work
cd /dev/shm/work || exit 1

example "touch first second; sleep 0.5; rm first; rm known_file.no 2>/dev/null; true" filelife
number '$3 == "rm" && $5 == "first" { print ($4 >= 500 && $4 < 60000) }'
has 0 'second'
example "for i in 1 2 3 4; do [ -e /dev/shm/work/absent ]; done; true" dcsnoop
number '$2 == "sh" && $4 ~ /^absent/ { n++; missed += $3 == "M" } END { print (n >= 4 && missed >= 1 && missed <= 4) }'
example "for i in 1 2 3 4; do [ -e /dev/shm/work/absent ]; done; true" dcsnoop -m -p 1
has 0 absent
example "for i in 1 2 3 4 5 6 7 8; do [ -e /dev/shm/work/absent\$i ]; done; true" dcstat
number 'NR > 1 { n += $2; m += $3 } END { print (n >= 32 && m >= 8 && m < n) }'
