"""Networks of our own: a line between two namespaces, through this process, which delays, drops or cuts it.

The kernel's netem would do for delay and loss, where it is compiled in; a line of tun devices is there everywhere,
and what runs over it is the kernel's own TCP.
"""
import contextlib
import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import threading
import time

import pytest

NEAR, FAR = "192.0.2.1", "192.0.2.2"
TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000


def run(*words):
    subprocess.run(words, check=True)


@contextlib.contextmanager
def inside(namespace):
    """This thread, and what it starts, in the network of that name."""
    def enter(path):
        with open(path) as there:
            if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"setns {path}")
    home = f"/proc/self/task/{threading.get_native_id()}/ns/net"
    with open(home) as origin:
        enter(f"/run/netns/{namespace}")
        try:
            yield
        finally:
            enter(f"/proc/self/fd/{origin.fileno()}")


class Line:
    """Two namespaces, `near` at NEAR and `far` at FAR, and how packets fare between them."""

    def __init__(self):
        self.seconds = self.loss = 0.0  # one way; of 1
        self.cut = False
        self.near, self.far = (f"gpuplan-{os.getpid()}-{side}" for side in ("near", "far"))
        self.ends = [end(self.near, NEAR, FAR), end(self.far, FAR, NEAR)]
        self.wake, self.woken = os.pipe()
        self.thread = threading.Thread(target=self.carry)
        self.thread.start()

    def carry(self):
        """Packets under way lie in a heap by the time they arrive."""
        under_way, number, chance = [], itertools.count(), random.Random(1)
        while True:
            left = max(0, under_way[0][0] - time.monotonic()) if under_way else None
            readable, _, _ = select.select([*self.ends, self.wake], [], [], left)
            if self.wake in readable:
                return
            for one in readable:
                packet = os.read(one, 65536)
                if not self.cut and chance.random() >= self.loss:
                    other = self.ends[1 - self.ends.index(one)]
                    heapq.heappush(under_way, (time.monotonic() + self.seconds, next(number), other, packet))
            while under_way and under_way[0][0] <= time.monotonic():
                _, _, other, packet = heapq.heappop(under_way)
                if not self.cut:
                    os.write(other, packet)

    def remove(self):
        os.write(self.woken, b".")
        self.thread.join()
        for one in (*self.ends, self.wake, self.woken):
            os.close(one)
        for namespace in (self.near, self.far):
            run("ip", "netns", "delete", namespace)


def end(namespace, own, other):
    """A new namespace with one end of a line in it; what goes in and out there is the descriptor's."""
    run("ip", "netns", "add", namespace)
    with inside(namespace):
        fd = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", b"line", IFF_TUN | IFF_NO_PI))
        run("ip", "address", "add", own, "peer", other, "dev", "line")
        run("ip", "link", "set", "line", "up")
        run("ip", "link", "set", "lo", "up")
    return fd


@pytest.fixture
def line():
    """The test itself, and all it starts, is at the near end."""
    if os.geteuid() != 0:
        pytest.skip("a network of one's own takes root: sudo make check-faults")
    made = Line()
    try:
        with inside(made.near):
            yield made
    finally:
        made.remove()
