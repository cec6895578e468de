/** Numbers of a system call on the architectures that we run on; `null` where it does not exist. */
export interface SystemCall {
  readonly name: string
  readonly x64: number | null
  readonly arm64: number | null
}

/** A system call that is decided by the low 32 bits of one argument, as in the kernel. */
export interface CheckedCall extends SystemCall {
  readonly argument: number
  readonly condition:
    | { readonly onlyValues: readonly number[] }
    | { readonly exceptValues: readonly number[] }
    | { readonly withoutBits: number }
  /** The action if the condition is not met. */
  readonly errno: number
}

export const EPERM = 1
/** C libraries replace a call that does not exist by an older one. */
export const ENOSYS = 38
const EAFNOSUPPORT = 97

const ENTRY = /^(\w+) (\d+|-) (\d+|-)$/

/** Reads a table of names, with the number on x64 and that on arm64. */
function calls(table: string): SystemCall[] {
  return table
    .trim()
    .split(/[,\n]\s*/)
    .map((entry) => {
      const [, name, x64, arm64] = ENTRY.exec(entry) ?? []
      if (name === undefined) {
        throw new Error(`The table of system calls has an entry that cannot be read: ${entry}`)
      }
      return { name, x64: numberOf(x64!), arm64: numberOf(arm64!) }
    })
}

const numberOf = (text: string): number | null => (text === '-' ? null : Number(text))

/**
 * The system calls that programs of an analysis need. What is in none of these tables, and what is newer than them, is
 * answered as by a kernel without it (`ENOSYS`): `clone3`, whose flags a filter cannot see, and `sync`, which would write
 * the files of the whole machine to its disks.
 */
export const ALLOWED_CALLS: readonly SystemCall[] = [
  // What is read and written
  ...calls(`
    read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69
    pwritev 296 70, preadv2 327 286, pwritev2 328 287, open 2 -, openat 257 56, openat2 437 437, creat 85 -
    close 3 57, close_range 436 436, lseek 8 62, dup 32 23, dup2 33 -, dup3 292 24, fcntl 72 25, flock 73 32
    fsync 74 82, fdatasync 75 83, sync_file_range 277 84, fallocate 285 47, truncate 76 45, ftruncate 77 46
    fadvise64 221 223, readahead 187 213, sendfile 40 71, splice 275 76, tee 276 77, copy_file_range 326 285
  `),
  // Folders, and what is known of files
  ...calls(`
    stat 4 -, lstat 6 -, fstat 5 80, newfstatat 262 79, statx 332 291, statfs 137 43, fstatfs 138 44
    access 21 -, faccessat 269 48, faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -
    getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, mkdir 83 -, mkdirat 258 34, rmdir 84 -
    unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38, renameat2 316 276, link 86 -, linkat 265 37
    symlink 88 -, symlinkat 266 36, mknod 133 -, mknodat 259 33, chmod 90 -, fchmod 91 52, fchmodat 268 53
    fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54, umask 95 166, utime 132 -
    utimes 235 -, utimensat 280 88, futimesat 261 -, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10
    setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, listxattr 194 11, llistxattr 195 12, flistxattr 196 13
    removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, inotify_init 253 -, inotify_init1 294 26
    inotify_add_watch 254 27, inotify_rm_watch 255 28
  `),
  // Waiting for descriptors
  ...calls(`
    poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -, epoll_create1 291 20
    epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -
    eventfd2 290 19, pipe 22 -, pipe2 293 59, signalfd 282 -, signalfd4 289 74, timerfd_create 283 85
    timerfd_settime 286 86, timerfd_gettime 287 87
  `),
  // Sockets; which ones is checked
  ...calls(`
    bind 49 200, listen 50 201, accept 43 202, accept4 288 242, connect 42 203, getsockname 51 204
    getpeername 52 205, getsockopt 55 209, setsockopt 54 208, sendto 44 206, sendmsg 46 211
    sendmmsg 307 269, recvfrom 45 207, recvmsg 47 212, recvmmsg 299 243, shutdown 48 210
  `),
  // Memory
  ...calls(`
    mmap 9 222, munmap 11 215, mprotect 10 226, mremap 25 216, msync 26 227, madvise 28 233, mincore 27 232
    brk 12 214, mlock 149 228, mlock2 325 284, munlock 150 229, mlockall 151 230, munlockall 152 231
    membarrier 324 283, pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288
  `),
  // Threads and processes; which ones is checked
  ...calls(`
    fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94, wait4 61 260
    waitid 247 95, restart_syscall 219 128, set_tid_address 218 96, set_robust_list 273 99
    get_robust_list 274 100, rseq 334 293, futex 202 98, futex_waitv 449 449, arch_prctl 158 -
    prctl 157 167, seccomp 317 277, pidfd_open 434 434, pidfd_send_signal 424 424, getpid 39 172
    getppid 110 173, gettid 186 178, getpgid 121 155, setpgid 109 154, getpgrp 111 -, getsid 124 156
    setsid 112 157, sched_yield 24 124, sched_getaffinity 204 123, sched_getparam 143 121
    sched_setparam 142 118, sched_getscheduler 145 120, sched_setscheduler 144 119
    sched_get_priority_max 146 125, sched_get_priority_min 147 126, sched_rr_get_interval 148 127
    getpriority 140 141, setpriority 141 140, ioprio_get 252 31, ioprio_set 251 30, getcpu 309 168
  `),
  // Signals
  ...calls(`
    kill 62 129, tkill 200 130, tgkill 234 131, pause 34 -, rt_sigaction 13 134, rt_sigprocmask 14 135
    rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigsuspend 130 133, rt_sigtimedwait 128 137
    rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, sigaltstack 131 132
  `),
  // Accounts and their limits; without capabilities a process cannot change its own
  ...calls(`
    getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150
    getgroups 115 158, setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147
    setresgid 119 149, setfsuid 122 151, setfsgid 123 152, setgroups 116 159, capget 125 90, capset 126 91
    getrlimit 97 163, setrlimit 160 164, prlimit64 302 261, getrusage 98 165, times 100 153, sysinfo 99 179
    uname 63 160
  `),
  // Time and randomness
  ...calls(`
    time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115
    nanosleep 35 101, alarm 37 -, getitimer 36 102, setitimer 38 103, timer_create 222 107
    timer_settime 223 110, timer_gettime 224 108, timer_getoverrun 225 109, timer_delete 226 111
    getrandom 318 278
  `),
]

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NAMESPACE_FLAGS = 0x7e_02_00_00
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK, know no namespaces. */
const SOCKET_FAMILIES = { onlyValues: [1, 2, 10, 16] }
/** TIOCSTI, TIOCLINUX: type into the terminal that a program was started from. */
const TYPING_REQUESTS = { exceptValues: [0x54_12, 0x54_1c] }
/** Linux as it is, and the question which one it is. */
const PERSONALITIES = { onlyValues: [0, 0xff_ff_ff_ff] }

const checked = (
  entry: string,
  argument: number,
  condition: CheckedCall['condition'],
  errno: number
): CheckedCall[] => calls(entry).map((call) => ({ ...call, argument, condition, errno }))

export const CHECKED_CALLS: readonly CheckedCall[] = [
  ...checked('clone 56 220', 0, { withoutBits: NAMESPACE_FLAGS }, EPERM),
  ...checked('socket 41 198, socketpair 53 199', 0, SOCKET_FAMILIES, EAFNOSUPPORT),
  ...checked('ioctl 16 29', 1, TYPING_REQUESTS, EPERM),
  ...checked('personality 135 92', 0, PERSONALITIES, EPERM),
]

/**
 * Calls that reach into the kernel or out of a container, and those that make memory that no process owns. They are
 * answered as by a kernel that has them but forbids them (`EPERM`), which is what programs expect of a container.
 */
export const REFUSED_CALLS: readonly SystemCall[] = [
  // Mounts and roots
  ...calls(`
    mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, move_mount 429 429
    fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, swapon 167 224
    swapoff 168 225, quotactl 179 60, quotactl_fd 443 443, acct 163 89, name_to_handle_at 303 264
    open_by_handle_at 304 265, fanotify_init 300 262, fanotify_mark 301 263
  `),
  // Namespaces
  ...calls(`
    unshare 272 97, setns 308 268
  `),
  // Other processes
  ...calls(`
    ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440
    process_mrelease 448 448, pidfd_getfd 438 438, kcmp 312 272, perf_event_open 298 241
  `),
  // Keys, programs in the kernel, and asynchronous calls that pass by this filter
  ...calls(`
    add_key 248 217, request_key 249 218, keyctl 250 219, bpf 321 280, userfaultfd 323 282
    io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427
  `),
  // The machine
  ...calls(`
    init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104
    kexec_file_load 320 294, reboot 169 142, syslog 103 116, vhangup 153 58, sethostname 170 161
    setdomainname 171 162, settimeofday 164 170, clock_settime 227 112, clock_adjtime 305 266
    adjtimex 159 171, iopl 172 -, ioperm 173 -, modify_ldt 154 -, lookup_dcookie 212 18, uselib 134 -
    ustat 136 -, sysfs 139 -, vmsplice 278 75
  `),
  // The placement of pages and processes
  ...calls(`
    mbind 237 235, set_mempolicy 238 237, set_mempolicy_home_node 450 450, migrate_pages 256 238
    move_pages 279 239, sched_setaffinity 203 122, sched_setattr 314 274
  `),
  // Memory without an owner
  ...calls(`
    memfd_create 319 279, memfd_secret 447 447, shmget 29 194, msgget 68 186, semget 64 190, mq_open 240 180
  `),
]
