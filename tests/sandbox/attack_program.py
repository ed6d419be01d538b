"""What a hostile command would try, each attempt in a process of its own; prints JSON: name -> whether it succeeded.

Run by a command under test with the path of a plan (JSON): where things are, and who the neighbour is. Uses only the
standard library, since it runs inside the sandbox. An attempt that raises an error did not succeed.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import mmap
import os
import platform
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

PLAN = json.load(open(sys.argv[1]))
ROOT, OUTSIDE, NEIGHBOUR = PLAN["root"], PLAN["outside"], PLAN["neighbour"]
SECRET = b"SECRET"
MINE = tempfile.mkdtemp()  # a directory where names can be made in every sandbox
LIBC = ctypes.CDLL(None, use_errno=True)
COLUMN = 0 if platform.machine() == "x86_64" else 1
NUMBERS = {
    "renameat2": (316, 276),
    "process_vm_readv": (310, 270),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "prlimit64": (302, 261),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "bpf": (321, 280),
    "ptrace": (101, 117),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "kcmp": (312, 272),
    "clone3": (435, 435),
}
ATTACKS = {}


def attack(function):
    ATTACKS[function.__name__] = function
    return function


def call(name, *arguments):
    given = [ctypes.c_char_p(each) if isinstance(each, bytes) else ctypes.c_void_p(each or 0) for each in arguments]
    LIBC.syscall.restype = ctypes.c_long
    done = LIBC.syscall(ctypes.c_long(NUMBERS[name][COLUMN]), *given)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done


def content(path):
    with open(path, "rb") as file:
        return file.read()


def reads(path):
    return SECRET in content(path)


def writes(path):
    with open(path, "ab") as file:
        file.write(b"hacked\n")
    return True


def own(name):
    """A forbidden file that only one attack uses."""
    return f"{ROOT}/.env-{name}"


# -- reading what may not be read ----------------------------------------------------------------


@attack
def read_a_forbidden_file():
    return reads(own("read"))


@attack
def read_with_another_program():
    return SECRET in subprocess.run(["cat", own("read")], capture_output=True).stdout


@attack
def read_in_another_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(reads(own("read"))))
    thread.start()
    thread.join()
    return bool(found and found[0])


@attack
def read_through_a_new_link():
    os.symlink(own("read"), f"{MINE}/soft")
    return reads(f"{MINE}/soft")


@attack
def read_by_the_root_of_proc():
    return reads(f"/proc/self/root{own('read')}")


@attack
def read_by_the_directory_of_proc():
    os.chdir(ROOT)
    return reads("/proc/self/cwd/.env-read")


@attack
def read_by_opening_a_handle_again():
    handle = os.open(own("read"), os.O_PATH)
    return reads(f"/proc/self/fd/{handle}")


@attack
def read_a_name_with_a_line_end():
    return reads(own("line\nend"))


@attack
def read_by_the_root_of_a_thread():
    return reads(f"/proc/thread-self/root{own('read')}")


@attack
def read_by_a_link_that_turns():
    """It leads to a harmless file while it is looked at, and to another one when it is opened."""
    with open(f"{MINE}/harmless", "w") as file:
        file.write("mine")
    os.symlink(f"{MINE}/harmless", f"{MINE}/turning")
    directory = os.open(MINE, os.O_PATH)
    assert content(f"{MINE}/turning") == b"mine"
    os.symlink(own("read"), f"{MINE}/next")
    os.rename(f"{MINE}/next", f"{MINE}/turning")
    return SECRET in os.read(os.open("turning", os.O_RDONLY, dir_fd=directory), 100)


@attack
def read_by_a_new_hard_link():
    os.link(own("link"), f"{MINE}/hard")
    return reads(f"{MINE}/hard")


@attack
def read_by_moving_it():
    os.rename(own("move"), f"{ROOT}/src/moved")
    return reads(f"{ROOT}/src/moved")


@attack
def read_by_exchanging_it():
    with open(f"{MINE}/exchanged", "w") as file:
        file.write("mine")
    call("renameat2", -100, own("exchange").encode(), -100, f"{MINE}/exchanged".encode(), 2)
    return reads(f"{MINE}/exchanged")


@attack
def read_in_a_forbidden_directory():
    return reads(f"{ROOT}/secrets/deep/key")


@attack
def read_by_moving_a_forbidden_directory():
    os.rename(f"{ROOT}/vault", f"{MINE}/vault")
    return reads(f"{MINE}/vault/key")


@attack
def read_a_forbidden_file_in_a_writable_directory():
    return reads(f"{ROOT}/src/.env-inner")


@attack
def read_it_after_moving_its_directory():
    os.rename(f"{ROOT}/src/deep", f"{ROOT}/src/elsewhere")
    return reads(f"{ROOT}/src/elsewhere/.env-deep")


@attack
def read_outside_the_root():
    return reads(f"{OUTSIDE}/secret")


@attack
def list_outside_the_root():
    return "secret" in os.listdir(OUTSIDE)


@attack
def read_a_key_of_the_user():
    return reads(os.path.expanduser("~/.ssh/id_test"))


@attack
def read_by_a_program_in_memory():
    memory = os.memfd_create("program", 0)
    os.write(memory, content("/bin/cat"))
    done = subprocess.run([f"/proc/self/fd/{memory}", own("read")], capture_output=True, pass_fds=[memory])
    return SECRET in done.stdout


@attack
def read_by_a_file_handle():
    handle = struct.pack("=II", 128, 0) + bytes(128)
    buffer = ctypes.create_string_buffer(handle, len(handle))
    mount = ctypes.c_int()
    call("name_to_handle_at", -100, own("read").encode(), ctypes.addressof(buffer), ctypes.addressof(mount), 0)
    root = os.open(ROOT, os.O_RDONLY)
    return SECRET in os.read(call("open_by_handle_at", root, ctypes.addressof(buffer), os.O_RDONLY), 100)


# -- other processes -----------------------------------------------------------------------------


@attack
def read_the_environment_of_a_neighbour():
    return reads(f"/proc/{NEIGHBOUR}/environ")


@attack
def read_by_the_root_of_a_neighbour():
    return reads(f"/proc/{NEIGHBOUR}/root{own('read')}")


@attack
def read_by_the_directory_of_a_neighbour():
    return reads(f"/proc/{NEIGHBOUR}/cwd/.env-read")


@attack
def read_a_descriptor_of_a_neighbour():
    return reads(f"/proc/{NEIGHBOUR}/fd/{PLAN['descriptor']}")


@attack
def read_the_memory_of_a_neighbour():
    with open(f"/proc/{NEIGHBOUR}/mem", "rb", buffering=0) as file:
        file.seek(PLAN["address"])
        return file.read(len(SECRET)) == SECRET


@attack
def copy_the_memory_of_a_neighbour():
    buffer = ctypes.create_string_buffer(len(SECRET))
    mine = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(buffer), len(SECRET)), 16)
    theirs = ctypes.create_string_buffer(struct.pack("=QQ", PLAN["address"], len(SECRET)), 16)
    call("process_vm_readv", NEIGHBOUR, ctypes.addressof(mine), 1, ctypes.addressof(theirs), 1, 0)
    return buffer.raw == SECRET


@attack
def trace_a_neighbour():
    call("ptrace", 0x4206, NEIGHBOUR, 0, 0)
    return True


@attack
def take_a_descriptor_of_a_neighbour():
    neighbour = call("pidfd_open", NEIGHBOUR, 0)
    return SECRET in os.pread(call("pidfd_getfd", neighbour, PLAN["descriptor"], 0), 100, 0)


@attack
def compare_with_a_neighbour():
    return call("kcmp", os.getpid(), NEIGHBOUR, 1, 0, 0) >= 0


@attack
def write_into_a_pipe_of_a_neighbour():
    return os.write(os.open(f"/proc/{NEIGHBOUR}/fd/1", os.O_WRONLY | os.O_NONBLOCK), b"x") == 1


@attack
def read_the_words_of_a_neighbour():
    return reads(f"/proc/{NEIGHBOUR}/cmdline")


@attack
def watch_outside():
    handle = LIBC.inotify_init1(0o4000)
    return LIBC.inotify_add_watch(handle, OUTSIDE.encode(), 0xFFF) >= 0


@attack
def signal_a_neighbour():
    os.kill(NEIGHBOUR, signal.SIGCONT)
    return True


@attack
def signal_a_neighbour_by_its_handle():
    call("pidfd_send_signal", call("pidfd_open", NEIGHBOUR, 0), signal.SIGCONT, 0, 0)
    return True


@attack
def signal_the_program_that_runs_us():
    os.kill(PLAN["host"], 0)
    return True


@attack
def limit_a_neighbour():
    old = ctypes.create_string_buffer(16)
    call("prlimit64", NEIGHBOUR, 4, None, ctypes.addressof(old))
    call("prlimit64", NEIGHBOUR, 4, ctypes.addressof(old), None)
    return True


@attack
def limit_a_neighbour_with_an_odd_address():
    address = 1 << 32  # of which the low half is zero
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    assert LIBC.mmap(address, 4096, 3, 0x32, -1, 0) == address
    call("prlimit64", NEIGHBOUR, 4, None, address)
    call("prlimit64", NEIGHBOUR, 4, address, None)
    return True


@attack
def steer_the_memory_killer_to_a_neighbour():
    path = f"/proc/{NEIGHBOUR}/oom_score_adj"
    with open(path) as file:
        value = file.read()
    with open(path, "w") as file:
        file.write(value)
    return True


@attack
def read_shared_memory_by_number():
    segment = call("shmget", PLAN["key"], 0, 0)
    LIBC.shmat.restype = ctypes.c_void_p
    place = LIBC.shmat(segment, None, 0o10000)
    return ctypes.string_at(place, len(SECRET)) == SECRET


@attack
def read_a_queue_by_number():
    class Message(ctypes.Structure):
        _fields_ = [("kind", ctypes.c_long), ("text", ctypes.c_char * 16)]

    message = Message()
    LIBC.msgrcv(PLAN["queue"], ctypes.byref(message), 16, 0, 0o4000)
    return message.text == SECRET


@attack
def read_in_a_directory_that_cannot_be_entered():
    os.chmod(f"{ROOT}/src/shut", 0o755)
    return reads(f"{ROOT}/src/shut/.env-shut")


@attack
def read_shared_memory_by_name():
    return reads(f"/dev/shm/{PLAN['shared']}")


@attack
def write_to_the_terminal_of_a_neighbour():
    handle = os.open(PLAN["terminal"], os.O_WRONLY | os.O_NOCTTY)
    return os.write(handle, b"x") == 1


@attack
def type_into_the_terminal_of_a_neighbour():
    handle = os.open(PLAN["terminal"], os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(handle, 0x5412, b"x")
    return True


# -- writing what may not be written -------------------------------------------------------------


@attack
def make_a_file_outside():
    return writes(f"{OUTSIDE}/made")


@attack
def make_a_file_in_the_root():
    return writes(f"{ROOT}/made")


@attack
def make_a_pipe_in_the_root():
    os.mkfifo(f"{ROOT}/pipe")
    return True


@attack
def write_through_a_link():
    os.symlink(f"{OUTSIDE}/target", f"{MINE}/out")
    return writes(f"{MINE}/out")


@attack
def append_to_a_forbidden_file():
    return writes(own("append"))


@attack
def empty_a_forbidden_file():
    os.truncate(own("truncate"), 0)
    return os.stat(own("truncate")).st_size == 0


@attack
def empty_it_by_opening():
    os.close(os.open(f"{ROOT}/locked/opened", os.O_RDONLY | os.O_TRUNC))
    return os.stat(f"{ROOT}/locked/opened").st_size == 0


@attack
def remove_a_forbidden_file():
    os.unlink(f"{ROOT}/locked/removed")
    return True


@attack
def replace_a_forbidden_file():
    with open(f"{MINE}/fresh", "w") as file:
        file.write("mine")
    os.rename(f"{MINE}/fresh", f"{ROOT}/locked/replaced")
    return True


@attack
def write_a_file_that_steers_other_programs():
    return writes(f"{ROOT}/src/pyproject.toml")


@attack
def replace_a_file_that_steers_other_programs():
    with open(f"{MINE}/fresh2", "w") as file:
        file.write("mine")
    os.rename(f"{MINE}/fresh2", f"{ROOT}/src/AGENTS.md")
    return True


@attack
def remove_a_file_that_steers_other_programs():
    os.unlink(f"{ROOT}/src/.envrc")
    return True


@attack
def write_the_rules():
    return writes(f"{ROOT}/.patchkit.toml")


@attack
def write_a_hook_of_git():
    return writes(f"{ROOT}/.git/hooks/post-commit")


@attack
def trust_rules():
    return writes(f"{PLAN['state']}/patchkit/trusted/below-everything")


@attack
def read_the_state():
    return "trusted" in os.listdir(f"{PLAN['state']}/patchkit")


@attack
def write_the_audit_log():
    return writes(f"{ROOT}/src/audit.jsonl")


@attack
def write_what_shells_read_at_start():
    return writes(os.path.expanduser("~/.bashrc"))


@attack
def move_the_writable_directory_away():
    os.rename(f"{ROOT}/moving", f"{ROOT}/moved-away")
    return True


@attack
def write_from_a_process_left_behind():
    first, ended = os.pipe()
    if os.fork() == 0:
        os.setsid()
        parent = os.getpid()
        if os.fork() == 0:
            while os.getppid() == parent:
                time.sleep(0.01)
            try:
                writes(f"{ROOT}/left-behind")
            finally:
                os._exit(0)
        os._exit(0)
    os.close(ended)
    os.read(first, 1)  # the end of the pipe is closed when the last process that has it ends
    return os.path.exists(f"{ROOT}/left-behind")


@attack
def change_a_setting_of_the_kernel():
    path = "/proc/sys/vm/swappiness"
    value = content(path)
    with open(path, "wb") as file:
        file.write(value)
    return True


@attack
def change_a_mode():
    os.chmod(f"{ROOT}/locked/mode", 0o777)
    return os.stat(f"{ROOT}/locked/mode").st_mode & 0o777 == 0o777


@attack
def change_a_time():
    os.utime(f"{OUTSIDE}/secret", (1, 1))
    return True


@attack
def change_an_attribute():
    os.setxattr(f"{ROOT}/locked/mode", "user.hacked", b"1")
    return True


# -- mounts and the kernel -----------------------------------------------------------------------


@attack
def mount_over_a_forbidden_place():
    if os.geteuid():
        call("unshare", 0x10000000 | 0x20000)
    else:
        call("unshare", 0x20000)
    call("mount", b"tmpfs", f"{ROOT}/locked".encode(), b"tmpfs", 0, None)
    return True


@attack
def copy_a_mount():
    return call("open_tree", -100, f"{ROOT}/locked".encode(), 1) >= 0


@attack
def make_a_file_system():
    return call("fsopen", b"tmpfs", 0) >= 0


@attack
def make_a_device():
    os.mknod(f"{MINE}/device", 0o60600, os.makedev(7, 0))
    return True


@attack
def make_namespaces():
    call("unshare", 0x10000000 | 0x20000)
    return True


@attack
def enter_a_namespace():
    handle = os.open("/proc/self/ns/uts", os.O_RDONLY)
    call("setns", handle, 0)
    return True


@attack
def uncover_what_is_hidden():
    """Outside there is nothing to uncover: reading it is the success."""
    try:
        call("umount2", f"{ROOT}/src/.env-inner".encode(), 2)
    except OSError:
        pass
    return reads(f"{ROOT}/src/.env-inner")


@attack
def make_the_mount_writable():
    try:
        call("mount", None, ROOT.encode(), None, 0x20 | 0x1000, None)
    except OSError:
        pass
    return writes(f"{ROOT}/remounted")


@attack
def change_the_root():
    os.chroot("/")
    return True


@attack
def ring_of_requests():
    parameters = ctypes.create_string_buffer(120)
    return call("io_uring_setup", 1, ctypes.addressof(parameters)) >= 0


@attack
def keys_of_the_session():
    return call("keyctl", 0, -3, 1) != 0


@attack
def watch_the_kernel():
    attributes = struct.pack("=IIQ", 1, 112, 0) + bytes(96)
    buffer = ctypes.create_string_buffer(attributes, 112)
    return call("perf_event_open", ctypes.addressof(buffer), 0, -1, -1, 0) >= 0


@attack
def handle_faults_of_the_kernel():
    return call("userfaultfd", 0) >= 0


@attack
def load_a_program_into_the_kernel():
    attributes = ctypes.create_string_buffer(struct.pack("=IIII", 2, 4, 4, 1) + bytes(112), 128)  # an array
    return call("bpf", 0, ctypes.addressof(attributes), 128) >= 0


# -- calls of another architecture ---------------------------------------------------------------

# push rbx; mov eax, edi; mov ebx, esi; xchg ecx, edx; int 0x80; cdqe; pop rbx; ret
CALL_32 = bytes.fromhex("53 89f8 89f3 87d1 cd80 4898 5b c3")


def call_32(number, *arguments):
    """A call as a 32-bit program makes it, with the numbers of such programs; x86-64 only."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(CALL_32)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 4)(place)(number, *arguments)


if platform.machine() == "x86_64":

    @attack
    def make_a_socket_by_a_32_bit_call():
        return call_32(359, socket.AF_INET, socket.SOCK_STREAM, 0) >= 0

    @attack
    def ask_for_keys_by_a_32_bit_call():
        return call_32(288, 0, -3, 1) > 0

    @attack
    def learn_the_process_by_a_32_bit_call():  # which harms none, but no such call is made
        return call_32(20, 0, 0, 0) == os.getpid()


# -- the network ---------------------------------------------------------------------------------


@attack
def connect_to_a_server():
    with socket.create_connection(("127.0.0.1", PLAN["tcp"]), 2):
        return True


@attack
def connect_by_sending():
    with socket.socket() as client:
        return client.sendto(b"x", socket.MSG_FASTOPEN, ("127.0.0.1", PLAN["tcp"])) == 1


@attack
def connect_by_several_paths():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as client:
        client.connect(("127.0.0.1", PLAN["tcp"]))
        return True


@attack
def be_a_server():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        return True


@attack
def listen_without_a_name():
    with socket.socket() as server:
        server.listen()
        return True


@attack
def send_a_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"x", ("127.0.0.1", PLAN["udp"])) == 1


@attack
def ask_the_kernel_about_the_network():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0):
        return True


@attack
def connect_to_a_socket_with_a_path():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(PLAN["stream"])
        return True


@attack
def connect_to_a_socket_with_a_name():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + PLAN["abstract"])
        return True


@attack
def send_by_a_pair_of_sockets():
    one, _other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"x", PLAN["datagrams"]) == 1


@attack
def connect_a_pair_of_sockets_again():
    one, _other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.connect(PLAN["datagrams"])
    return True


def tried(function):
    """Whether an attack succeeds, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = b"0"
        try:
            answer = b"1" if function() else b"0"
        except BaseException:
            pass
        finally:
            os.write(writing, answer)
            os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], 10)
    said = os.read(reading, 1) if ready else b"0"
    if not ready:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    return said == b"1"


print(json.dumps({name: tried(function) for name, function in ATTACKS.items()}))
