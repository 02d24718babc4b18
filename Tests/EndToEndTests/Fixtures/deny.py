"""Starts a command whose system call NUMBER fails with EPERM: deny.py NUMBER COMMAND..."""

import ctypes
import os
import struct
import sys

ALLOW, ERRNO, EPERM = 0x7FFF0000, 0x00050000, 1
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2


def instruction(code, true, false, value):
    return struct.pack("HBBI", code, true, false, value)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


number = int(sys.argv[1])
instructions = ctypes.create_string_buffer(
    instruction(0x20, 0, 0, 0)  # load the number of the call
    + instruction(0x15, 0, 1, number)  # skip one unless it is the denied one
    + instruction(0x06, 0, 0, ERRNO | EPERM)
    + instruction(0x06, 0, 0, ALLOW)
)
program = Program(4, ctypes.cast(instructions, ctypes.c_void_p))
library = ctypes.CDLL(None, use_errno=True)
for arguments in (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)):
    if library.prctl(*arguments) != 0:
        sys.exit(f"prctl: errno {ctypes.get_errno()}")
os.execvp(sys.argv[2], sys.argv[2:])
