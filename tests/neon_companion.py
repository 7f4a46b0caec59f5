# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What Pupil Labs' Companion app does on the network of the gaze: RTSP, RTP, RTCP and the time echo. Its clock is not ours."""

import re
import socket
import struct
import threading
import time

ENCODING = "com.pupillabs.gaze1"
CLOCK_HZ = 90000
PAYLOAD_TYPE = 96
SENDER = 0xF07EA
SECONDS_1900_TO_1970 = 2208988800


def unix_time():
    """On the phone."""
    return time.time() + 1234.5


class Companion:
    """Serves until it is closed. `transports` of those that play: UDP addresses, or connections."""

    def __init__(self, port=0, address="127.0.0.1"):
        self.server = socket.create_server((address, port))
        self.echo = socket.create_server((address, 0))
        self.address, self.port = self.server.getsockname()[:2]
        self.echo_port = self.echo.getsockname()[1]
        self.datagrams = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for out in self.datagrams:
            out.bind((address, 0))
        self.url = f"rtsp://{address}:{self.port}/?camera=gaze"
        self.connections, self.players, self.asked, self.sequence = [], [], [], 0xFFF0
        for server, serve in ((self.server, self.serve), (self.echo, self.serve_echo)):
            threading.Thread(target=self.accept, args=(server, serve), daemon=True).start()

    def accept(self, server, serve):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.guard, args=(serve, connection), daemon=True).start()

    def guard(self, serve, connection):
        try:
            serve(connection)
        except OSError:
            pass

    def serve_echo(self, connection):
        while len(asked := connection.recv(8)) == 8:
            connection.sendall(asked + struct.pack("!Q", int(unix_time() * 1000)))

    def serve(self, connection):
        waiting, player = b"", None
        while received := connection.recv(4096):
            waiting += received
            while b"\r\n\r\n" in waiting:
                text, waiting = waiting.split(b"\r\n\r\n", 1)
                method, url = text.decode().split(" ")[:2]
                headers = dict(re.findall(r"^([\w-]+): *(.*?)\r?$", text.decode(), re.M))
                self.asked.append((method, url))
                answer, body = [f"CSeq: {headers['CSeq']}"], ""
                if method == "OPTIONS":
                    answer.append("Public: DESCRIBE,SETUP,TEARDOWN,PLAY,PAUSE")
                elif method == "DESCRIBE":
                    body = "v=0\r\ns=Unnamed\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\n"
                    body += f"m=application 0 RTP/AVP {PAYLOAD_TYPE}\r\na=rtpmap:{PAYLOAD_TYPE} {ENCODING}/{CLOCK_HZ}\r\n"
                    body += "a=control:trackID=0\r\n"
                    answer += ["Content-Type: application/sdp", f"Content-Length: {len(body)}"]
                elif method == "SETUP":
                    wanted = headers["Transport"]
                    ports = re.search(r"client_port=(\d+)-(\d+)", wanted)
                    player = [(self.address, int(port)) for port in ports.groups()] if ports else connection
                    own = "-".join(str(out.getsockname()[1]) for out in self.datagrams)
                    answer += ["Session: 1185d20035702ca;timeout=60"]
                    answer += ["Transport: " + wanted + (f";server_port={own}" if ports else "")]
                connection.sendall(("\r\n".join(["RTSP/1.0 200 OK", *answer]) + "\r\n\r\n" + body).encode())
                if method == "PLAY":
                    self.players.append(player)
                    self.report()

    def put(self, which, packet):
        for player in self.players:
            try:
                if isinstance(player, list):
                    self.datagrams[which].sendto(packet, player[which])
                else:
                    player.sendall(struct.pack("!BBH", 0x24, which, len(packet)) + packet)
            except OSError:
                self.players.remove(player)

    def report(self):
        """A sender report: what the time of packets is on the phone's clock."""
        now = unix_time()
        ntp = int((now + SECONDS_1900_TO_1970) * 2**32)
        ticks = int(now * CLOCK_HZ) & 0xFFFFFFFF
        self.put(1, struct.pack("!BBHIQIII", 0x80, 200, 6, SENDER, ntp, ticks, 0, 0))

    def send(self, payload, age_s=0.0, sequence=None):
        """What was measured a while ago."""
        self.sequence = self.sequence + 1 & 0xFFFF
        ticks = int((unix_time() - age_s) * CLOCK_HZ) & 0xFFFFFFFF
        number = self.sequence if sequence is None else sequence
        self.put(0, struct.pack("!BBHII", 0x80, PAYLOAD_TYPE, number, ticks, SENDER) + payload)

    def look(self, x, y, worn=255, **options):
        self.send(struct.pack("!ffB", x, y, worn), **options)

    def close(self):
        for one in (self.server, self.echo, *self.connections):
            try:
                one.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for it
            except OSError:
                pass
            one.close()
        for out in self.datagrams:
            out.close()
