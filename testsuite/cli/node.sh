# SPDX-License-Identifier: GPL-2.0-or-later
# node.http.*: a node with marks is found by PATH; of one without, that is told.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >node.stp <<'S'
probe node.http.request, node.http.client { printf("%s:%d %s %s %d\n", remote, port, method, url, fd) }
probe node.http.request.return, node.http.client.return { printf("%s:%d %d\n", remote, port, fd) }
S
PATH=$PROGS:$PATH expect 0 "$SPILE" --engine="$ENGINE" -c node node.stp
is '192.0.2.7:50123 GET /page 17
192.0.2.9:8080 POST /form 18
192.0.2.9:8080 18
192.0.2.7:50123 17'
mkdir bin
cp "$PROGS/heap" bin/node
PATH=$PWD/bin:$PATH expect 1 "$SPILE" -p2 node.stp
says '^    note: .*/bin/node has no marks$'
