# SPDX-License-Identifier: GPL-2.0-or-later
# gcc copies the code of inlined functions, one copy for each way that leads to it: a pipe is unlocked as often as it is locked, and in
# pipe_read() of Linux 6.1 that is in several places.
. "$SUITE/lib.sh"
cat >work.py <<'E'
import os, threading
r, w = os.pipe()
reader = threading.Thread(target=lambda: [None for data in iter(lambda: os.read(r, 3000), b"")])
reader.start()
for i in range(200):
    os.write(w, b"x" * (i * 37 % 9000 + 1))
os.close(w)
reader.join()
r, w = os.pipe()
os.set_blocking(r, False)
for i in range(100):
    try:
        os.read(r, 10)
    except BlockingIOError:
        pass
E
cat >p.stp <<'E'
global locked, unlocked
probe kernel.function("pipe_read").callee("__pipe_lock") !, kernel.function("pipe_read").callee("mutex_lock"),
      kernel.function("pipe_write").callee("__pipe_lock") !, kernel.function("pipe_write").callee("mutex_lock") { if (pid() == target()) locked++ }
probe kernel.function("pipe_read").callee("__pipe_unlock") !, kernel.function("pipe_read").callee("mutex_unlock"),
      kernel.function("pipe_write").callee("__pipe_unlock") !, kernel.function("pipe_write").callee("mutex_unlock") { if (pid() == target()) unlocked++ }
probe end { println(locked > 300, " ", locked - unlocked) }
E
expect 0 "$SPILE" -c "python3 work.py" p.stp
is "1 0"
