"""The filter of system calls: by an interpreter of its instructions for every machine, by the kernel for this one."""

from __future__ import annotations

import ast
import struct
import subprocess
import sys
from errno import EAFNOSUPPORT, ENOSYS, EPERM
from pathlib import Path

import pytest

from patchkit.sandbox.system_calls import ARCHITECTURES, NUMBERS, REFUSALS, filter_program, is_known

ALLOWED = 0
MACHINES = list(ARCHITECTURES)
FILTERED = """\
from patchkit.sandbox.system_calls import REFUSALS, filter_program
from patchkit.sandbox.system_calls import call, filter_calls, machine, take_privileges

take_privileges()
filter_calls(filter_program(machine(), network=False, own_ipc=False))
errors = {}
for row in REFUSALS:
    if not row.conditions:
        try:
            errors[row.name] = call(row.name, -1, -1, -1, -1, -1) * 0
        except OSError as error:
            errors[row.name] = error.errno
print(errors)
"""


def filtered(code: bytes, architecture: int, number: int, *arguments: int) -> int:
    """The error that a call gets, 0 where it is allowed: what the kernel does with the instructions."""
    seen = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at, value = 0, 0
    while True:
        operation, if_true, if_false, constant = steps[at]
        at += 1
        if operation == 0x20:
            value = struct.unpack_from("=I", seen, constant)[0]
        elif operation == 0x54:
            value &= constant
        elif operation == 0x15:
            at += if_true if value == constant else if_false
        elif operation == 0x35:
            at += if_true if value >= constant else if_false
        elif operation == 0x06:
            return constant & 0xFFFF if constant >> 16 == 0x0005 else {0x7FFF0000: ALLOWED}[constant]
        else:
            raise AssertionError(operation)


@pytest.fixture(params=MACHINES)
def made(request):
    """Makes a call on one of the machines: by its name, with its arguments."""
    column, architecture = ARCHITECTURES[request.param]

    def make(name: str, *arguments: int, network: bool = False, own_ipc: bool = True) -> int:
        return filtered(
            filter_program(request.param, network, own_ipc), architecture, NUMBERS[name][column], *arguments
        )

    return make


def known_numbers() -> dict[str, tuple[str, ...]]:
    lines = Path(__file__).with_name("system_calls.txt").read_text().splitlines()[1:]
    return {name: tuple(numbers) for name, *numbers in map(str.split, lines)}


def test_the_numbers_of_calls_are_those_of_the_headers_of_the_kernel():
    headers = known_numbers()
    newer = {"open_tree_attr"}  # than these headers; all newer ones have one number on every machine

    assert {name: tuple(map(str, numbers)) for name, numbers in NUMBERS.items() if name not in newer} == {
        name: headers[name] for name in NUMBERS if name not in newer
    }
    assert {name: NUMBERS[name] for name in newer} == {"open_tree_attr": (467, 467)}


def test_the_architectures_are_named_as_audit_names_them():
    """The number of the machine in ELF files, with the bits for 64 bits and for little-endian."""
    elf = {"x86_64": 62, "aarch64": 183}

    assert {machine: value for machine, (_, value) in ARCHITECTURES.items()} == {
        machine: number | 0x80000000 | 0x40000000 for machine, number in elf.items()
    }


def test_no_call_of_x32_passes_whatever_its_number():
    _, architecture = ARCHITECTURES["x86_64"]
    code = filter_program("x86_64", True, True)

    assert {filtered(code, architecture, 0x40000000 | number) for number in range(600)} == {EPERM}
    assert filtered(code, architecture, 0xFFFFFFFF) == EPERM
    assert filtered(code, architecture, 0x3FFFFFFF) == ALLOWED  # the kernel has no such call


def test_without_a_network_no_socket_is_made_but_a_pair_within_the_process(made):
    assert [made("socket", family, 1) for family in (1, 2, 10, 16, 17, 38, 40)] == [EAFNOSUPPORT] * 7
    assert [made("socketpair", 1, kind) for kind in (1, 5, 1 | 0o2000000)] == [ALLOWED] * 3
    assert [made("socketpair", 1, 2), made("socketpair", 30, 1)] == [EAFNOSUPPORT] * 2


def test_with_a_network_every_socket_is_made(made):
    assert [made("socket", 2, 1, network=True), made("socketpair", 1, 2, network=True)] == [ALLOWED] * 2


def test_nothing_is_typed_into_a_terminal_whatever_the_high_half_says(made):
    assert made("ioctl", 0, 0x5412) == made("ioctl", 0, 0x5412 | 1 << 32) == made("ioctl", 0, 0x541C) == EPERM
    assert made("ioctl", 0, 0x5413) == ALLOWED


def test_limits_of_other_processes_are_read_and_not_set(made):
    assert made("prlimit64", 0, 7, 0x7FFF0000) == ALLOWED
    assert made("prlimit64", 123, 7, 0) == ALLOWED
    assert made("prlimit64", 123, 7, 0x7FFF0000) == made("prlimit64", 123, 7, 1 << 32) == EPERM


def test_a_user_namespace_is_not_made_and_a_thread_is(made):
    assert made("clone", 0x10000000 | 17) == made("unshare", 0x10020000) == EPERM
    assert made("clone", 0x3D0F00) == made("unshare", 0x200) == ALLOWED
    assert made("clone3") == ENOSYS


def test_shared_memory_by_number_needs_a_namespace_of_its_own(made):
    assert made("shmget", 1, own_ipc=True) == ALLOWED
    assert made("shmget", 1, own_ipc=False) == EPERM


def test_what_others_share_is_not_reached_by_a_number_that_was_guessed(made):
    names = ("shmat", "shmctl", "semop", "semtimedop", "semctl", "msgsnd", "msgrcv", "msgctl", "mq_unlink")

    assert {name: made(name, 3, own_ipc=False) for name in names} == dict.fromkeys(names, EPERM)


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_architecture_are_refused(machine):
    code = filter_program(machine, True, True)
    _, architecture = ARCHITECTURES[machine]

    assert filtered(code, 0x40000003, 1) == EPERM
    assert filtered(code, architecture, 0) == ALLOWED
    if machine == "x86_64":
        assert filtered(code, architecture, 0x40000000 | 41) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_every_row_without_conditions_refuses_with_its_error(machine):
    column, architecture = ARCHITECTURES[machine]
    plain = [row for row in REFUSALS if not row.conditions]

    errors = [filtered(filter_program(machine, False, False), architecture, NUMBERS[row.name][column]) for row in plain]

    assert errors == [row.error for row in plain]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_that_is_not_in_the_table_is_allowed(machine):
    column, architecture = ARCHITECTURES[machine]
    listed = {NUMBERS[row.name][column] for row in REFUSALS}
    code = filter_program(machine, False, False)

    assert {filtered(code, architecture, number) for number in range(470) if number not in listed} == {ALLOWED}


@pytest.mark.skipif(not is_known(), reason="system calls have no numbers for this machine")
def test_the_kernel_refuses_what_the_table_refuses():
    """In a process of its own, which can do little afterwards."""
    done = subprocess.run([sys.executable, "-c", FILTERED], capture_output=True, text=True)

    assert done.stderr == ""
    assert ast.literal_eval(done.stdout) == {row.name: row.error for row in REFUSALS if not row.conditions}
