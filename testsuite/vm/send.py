# SPDX-License-Identifier: GPL-2.0-or-later
# Sends one datagram: python3 send.py HOST PORT FROM_PORT TEXT.
import socket, sys

host, port, source, text = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("::" if ":" in host else "0.0.0.0", source))
s.sendto(text.encode(), (host, port))
