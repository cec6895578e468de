/** Numbers of a system call on the architectures that we run on; `null` where it does not exist. */
interface RefusedCall {
  readonly name: string
  readonly x64: number | null
  readonly arm64: number | null
}

const call = (name: string, x64: number | null, arm64: number | null): RefusedCall => ({
  name,
  x64,
  arm64,
})

/**
 * System calls that no analysis needs, and that reach into the kernel or out of a container: what container runtimes
 * refuse by default to programs without privileges, and what makes memory that no process owns.
 */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  // Mounts and roots
  call('mount', 165, 40),
  call('umount2', 166, 39),
  call('pivot_root', 155, 41),
  call('chroot', 161, 51),
  call('open_tree', 428, 428),
  call('move_mount', 429, 429),
  call('fsopen', 430, 430),
  call('fsconfig', 431, 431),
  call('fsmount', 432, 432),
  call('fspick', 433, 433),
  call('mount_setattr', 442, 442),
  call('swapon', 167, 224),
  call('swapoff', 168, 225),
  call('quotactl', 179, 60),
  call('quotactl_fd', 443, 443),
  call('acct', 163, 89),
  call('name_to_handle_at', 303, 264),
  call('open_by_handle_at', 304, 265),
  call('fanotify_init', 300, 262),
  // Namespaces
  call('unshare', 272, 97),
  call('setns', 308, 268),
  // Other processes
  call('ptrace', 101, 117),
  call('process_vm_readv', 310, 270),
  call('process_vm_writev', 311, 271),
  call('process_madvise', 440, 440),
  call('pidfd_getfd', 438, 438),
  call('kcmp', 312, 272),
  call('perf_event_open', 298, 241),
  // Keys, programs in the kernel, and asynchronous calls that pass by this filter
  call('add_key', 248, 217),
  call('request_key', 249, 218),
  call('keyctl', 250, 219),
  call('bpf', 321, 280),
  call('userfaultfd', 323, 282),
  call('io_uring_setup', 425, 425),
  call('io_uring_enter', 426, 426),
  call('io_uring_register', 427, 427),
  // The machine
  call('init_module', 175, 105),
  call('finit_module', 313, 273),
  call('delete_module', 176, 106),
  call('kexec_load', 246, 104),
  call('kexec_file_load', 320, 294),
  call('reboot', 169, 142),
  call('syslog', 103, 116),
  call('vhangup', 153, 58),
  call('sethostname', 170, 161),
  call('setdomainname', 171, 162),
  call('settimeofday', 164, 170),
  call('clock_settime', 227, 112),
  call('clock_adjtime', 305, 266),
  call('adjtimex', 159, 171),
  call('iopl', 172, null),
  call('ioperm', 173, null),
  call('modify_ldt', 154, null),
  call('lookup_dcookie', 212, 18),
  call('uselib', 134, null),
  call('ustat', 136, null),
  call('sysfs', 139, null),
  call('personality', 135, 92),
  call('vmsplice', 278, 75),
  // The placement of pages and processes
  call('mbind', 237, 235),
  call('set_mempolicy', 238, 237),
  call('set_mempolicy_home_node', 450, 450),
  call('migrate_pages', 256, 238),
  call('move_pages', 279, 239),
  call('sched_setaffinity', 203, 122),
  // Memory without an owner
  call('memfd_create', 319, 279),
  call('memfd_secret', 447, 447),
  call('shmget', 29, 194),
  call('msgget', 68, 186),
  call('semget', 64, 190),
  call('mq_open', 240, 180),
]

/** Calls that a C library replaces by an older one if they do not exist: `clone3` hides its flags from a filter. */
export const MISSING_CALLS: readonly RefusedCall[] = [call('clone3', 435, 435)]

/** The newest call of the table's kernel (6.6). Newer ones are answered as by a kernel without them. */
export const NEWEST_CALL = 456

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
export const NAMESPACE_FLAGS = 0x7e_02_00_00

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK, know no namespaces. */
export const SOCKET_FAMILIES: readonly number[] = [1, 2, 10, 16]

/** TIOCSTI, TIOCLINUX: type into the terminal that a program was started from. */
export const TERMINAL_REQUESTS: readonly number[] = [0x54_12, 0x54_1c]
