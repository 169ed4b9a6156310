# SPDX-License-Identifier: GPL-2.0-or-later
# A browser for the cases: chromium without a window, through chromedriver (W3C WebDriver).
import base64, json, subprocess, tempfile, time, urllib.error, urllib.request

OPTIONS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
           '--disable-component-update', '--disable-sync', '--hide-scrollbars']


class Browser:
    def __init__(self, downloads, width=1400, height=1000, dark=False):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            if not line:
                raise RuntimeError('chromedriver does not start')
            if 'successfully on port ' in line:
                port = line.split('successfully on port ')[1].strip().rstrip('.')
        self.base = 'http://127.0.0.1:' + port
        arguments = OPTIONS + ['--user-data-dir=' + self.profile.name, '--window-size=%d,%d' % (width, height)]
        if dark:
            arguments.append('--blink-settings=preferredColorScheme=0')
        options = {'args': arguments, 'prefs': {'download.default_directory': downloads, 'download.prompt_for_download': False}}
        wanted = {'capabilities': {'alwaysMatch': {'browserName': 'chrome', 'goog:chromeOptions': options, 'goog:loggingPrefs': {'browser': 'ALL'}}}}
        self.base += '/session/' + self.call('POST', '/session', wanted)['sessionId']

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {'Content-Type': 'application/json'}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=240) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error: # which says what is wrong
            raise RuntimeError('%s: %s' % (body, json.load(error)['value']['message'].split('\n')[0]))

    def open(self, url):
        self.call('POST', '/url', {'url': url})

    # The value of an expression in the page.
    def get(self, expression):
        return self.call('POST', '/execute/sync', {'script': 'return ' + expression, 'args': []})

    def do(self, script):
        self.call('POST', '/execute/sync', {'script': script, 'args': []})

    def wait(self, expression, seconds=120):
        end = time.monotonic() + seconds
        while not self.get(expression):
            if time.monotonic() > end:
                raise SystemExit('waited in vain for ' + expression)
            time.sleep(0.2)

    # A key as people press it: the page gets all its events.
    def press(self, key):
        keys = [{'type': 'keyDown', 'value': key}, {'type': 'keyUp', 'value': key}]
        self.call('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keyboard', 'actions': keys}]})

    def type(self, text):
        for key in text:
            self.press(key)

    # A click in the middle of what a selector finds.
    def click(self, selector):
        element = self.call('POST', '/element', {'using': 'css selector', 'value': selector})
        self.call('POST', '/element/%s/click' % list(element.values())[0], {})

    # What the browser has to complain of.
    def log(self):
        return [entry['message'] for entry in self.call('POST', '/se/log', {'type': 'browser'})]

    def shoot(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('GET', '/screenshot')))

    def close(self):
        try:
            self.call('DELETE', '')
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()
