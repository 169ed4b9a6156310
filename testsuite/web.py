# SPDX-License-Identifier: GPL-2.0-or-later
# For cli/web.sh: asks the page of --web, at the address in argv[1], as it should be asked and as it should not.
import json, re, socket, sys

port, token = re.fullmatch(r'http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/', sys.argv[1]).groups()
host = '127.0.0.1:' + port
own = {'Host': host, 'Origin': 'http://' + host}


def connect(method, path, fields, body=None):
    s = socket.create_connection(('127.0.0.1', int(port)), 60)
    head = '%s %s HTTP/1.1\r\n' % (method, path) + ''.join('%s: %s\r\n' % field for field in fields.items())
    if body is not None:
        head += 'Content-Length: %d\r\n' % len(body)
    s.sendall((head + '\r\n' + (body or '')).encode())
    return s.makefile('rb')


def ask(method, path, fields={'Host': host}, body=None):
    head, _, text = connect(method, path, fields, body).read().partition(b'\r\n\r\n')
    return head.decode().split('\r\n')[0][9:], head.decode(), text.decode()


def expect(status, *request):
    got = ask(*request)
    if got[0] != status:
        sys.exit('%s: %s, not %s' % (request, got[0], status))
    return got


class Stream:
    def __init__(self):
        self.file = connect('GET', '/%s/events' % token, {'Host': host})
        while self.file.readline().strip():
            pass

    # The objects of the next event; None: the stream has ended.
    def next(self):
        lines = []
        while True:
            line = self.file.readline()
            if not line:
                return None
            if line == b'\n':
                return lines
            assert line.startswith(b'data:'), line
            lines.append(json.loads(line[5:]))

    def until(self, holds):
        while True:
            event = self.next()
            if event is None:
                sys.exit('the stream has ended too early')
            if holds(event):
                return event


page, wish = '/%s/' % token, '/%s/wish' % token
status, head, text = expect('200 OK', 'GET', page)
nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", head).group(1)
for wanted in ("default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", 'Cache-Control: no-store', 'Referrer-Policy: no-referrer',
               'X-Content-Type-Options: nosniff'):
    assert wanted in head, wanted
assert text.count('nonce="%s"' % nonce) == 2 and not re.search(r'(src|href)="(?!data:|#)', text), 'something comes from elsewhere'
assert nonce not in ask('GET', page)[1], 'the same nonce twice'
wrong = ('0' if token[0] != '0' else '1') + token[1:]
for path in ('/', '/metrics', '/%s' % token, '/%s/' % wrong, '/%s/events' % wrong, '/%s/x' % token[:31]):
    expect('403 Forbidden', 'GET', path)
for fields in ({}, {'Host': 'evil.example'}, {'Host': '127.0.0.1.evil.example'}, {'Host': host, 'Origin': 'http://evil.example'}, {'Host': host, 'Origin': 'null'}):
    expect('403 Forbidden', 'GET', page, fields)
    expect('403 Forbidden', 'POST', wish, fields, 'stop')
expect('403 Forbidden', 'POST', wish, {'Host': host}, 'stop')
expect('403 Forbidden', 'POST', '/%s/wish' % wrong, own, 'stop')
expect('404 Not Found', 'GET', page + 'x')
expect('405 Method Not Allowed', 'POST', page, own, '')
expect('405 Method Not Allowed', 'GET', wish)
expect('411 Length Required', 'POST', wish, own)
expect('413 Content Too Large', 'POST', wish, own, 'x' * 257)
for fields in ({'Host': host, 'host': host}, {'Host': host, 'Transfer-Encoding': 'chunked'}, {'Host': host, 'Content-Length': '-1'}):
    expect('400 Bad Request', 'GET', page, fields)
for body in ('', 'off', 'off x', 'off -1', 'off 99999999999999', 'stopp', 'pause 1'):
    expect('400 Bad Request', 'POST', wish, own, body)

stream, first = Stream(), None
first = stream.until(lambda event: any(line['type'] == 'output' for line in event))
assert first[0]['type'] == 'run' and first[0]['state'] == 'running', first[0]
array = next(line for line in first if line['type'] == 'array')
assert array['elements'][0]['key'] == ['<img src=x onerror=alert(1)>'], array
timer = next(line for line in first if line.get('probe', '').startswith('timer'))['number']
state = lambda event: next(line for line in event if line.get('number') == timer)['state']
value = lambda event: next(line for line in event if line.get('name') == 'n')['value']
for body, holds in (('off %d' % timer, lambda e: state(e) == 'off'), ('on %d' % timer, lambda e: state(e) == 'on' and value(e) > 1000000),
                    ('pause', lambda e: e[0]['state'] == 'paused' and state(e) == 'off'), ('clear', lambda e: value(e) == 1000000),
                    ('continue', lambda e: e[0]['state'] == 'running' and state(e) == 'on' and value(e) > 1000000)):
    expect('200 OK', 'POST', wish, own, body)
    stream.until(holds)
deaf = [connect('GET', '/%s/events' % token, {'Host': host}) for i in range(3)]
expect('200 OK', 'POST', wish, own, 'stop')
last = stream.until(lambda event: event[0]['state'] == 'ended')
assert any('ended' in line.get('text', '') for line in last), last
assert stream.next() is None
print('as expected')
