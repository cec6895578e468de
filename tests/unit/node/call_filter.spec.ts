import { test } from '@japa/runner'

import { bpfProgram } from '#node/containers/seccomp/bpf_program'
import { runcProfile } from '#node/containers/seccomp/runc_profile'
import { ALLOWED_CALLS, CHECKED_CALLS, REFUSED_CALLS } from '#node/containers/seccomp/system_calls'

const ALLOW = 0x7f_ff_00_00
const KILL = 0x80_00_00_00
const refused = (errno: number) => 0x00_05_00_00 | errno
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
const ARCHITECTURES = [
  {
    name: 'x64' as const,
    audit: 0xc0_00_00_3e,
    // read, mmap, execve, futex, openat, getrandom, statx, rseq, close_range, faccessat2
    needed: [0, 9, 59, 202, 257, 318, 332, 334, 436, 439],
    // mount, ptrace, unshare, setns, bpf, memfd_create, shmget, semget, msgget, mq_open, io_uring_setup, userfaultfd
    dangerous: [165, 101, 272, 308, 321, 319, 29, 64, 68, 240, 425, 323],
    // clone3, io_setup, sync, landlock_create_ruleset, remap_file_pages, futex_wait
    missing: [435, 206, 162, 444, 216, 455],
    clone: 56,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    personality: 135,
  },
  {
    name: 'arm64' as const,
    audit: 0xc0_00_00_b7,
    needed: [63, 222, 221, 98, 56, 278, 291, 293, 436, 439],
    dangerous: [40, 117, 97, 268, 280, 279, 194, 190, 186, 180, 425, 282],
    missing: [435, 0, 81, 444, 234, 455],
    clone: 220,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    personality: 92,
  },
]
/** Arguments around the values that are looked at, and with bits that the kernel does not look at. */
const WORDS = [
  ...Array.from({ length: 64 }, (_, value) => value),
  ...Array.from({ length: 32 }, (_, bit) => 2 ** bit),
  ...[0x54_01, 0x54_11, 0x54_12, 0x54_13, 0x54_1b, 0x54_1c, 0x54_1d, 0x3d_0f_00, 0xff_ff_ff_ff],
].flatMap((word) => [word, 2 ** 32 + word])

/** Runs a filter as the kernel does. */
function decide(program: Buffer, audit: number, number: number, args: number[] = []): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(audit, 4)
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * index))
  let word = 0
  for (let at = 0; at < program.length; at += 8) {
    const operand = program.readUInt32LE(at + 4)
    const code = program.readUInt16LE(at)
    const isTrue = {
      0x15: word === operand,
      0x35: word >= operand,
      0x45: (word & operand) !== 0,
    }[code]
    if (isTrue !== undefined) {
      at += 8 * program.readUInt8(at + (isTrue ? 2 : 3))
    } else if (code === 0x05) {
      at += 8 * operand
    } else if (code === 0x20) {
      word = data.readUInt32LE(operand)
    } else {
      return operand
    }
  }
  throw new Error('The filter has no end')
}

interface Rule {
  readonly names: readonly string[]
  readonly action: string
  readonly errnoRet?: number
  readonly args?: readonly { index: number; value: number; valueTwo: number }[]
}

/** What the rules of a profile that match an argument say. */
function actionsOf(rules: readonly Rule[], name: string, argument: number): number[] {
  const low = argument % 2 ** 32
  const matching = rules.filter(
    ({ names, args = [] }) =>
      names.includes(name) && args.every(({ value, valueTwo }) => (low & value) >>> 0 === valueTwo)
  )
  const actions = matching.map(({ action, errnoRet }) =>
    action === 'SCMP_ACT_ALLOW' ? ALLOW : refused(errnoRet!)
  )
  return [...new Set(actions)]
}

test.group('Filter of system calls', () => {
  test('no call is in two tables, or has the number of another one', ({ assert }) => {
    const all = [...ALLOWED_CALLS, ...CHECKED_CALLS, ...REFUSED_CALLS]
    for (const numbers of [
      all.map(({ name }) => name),
      all.map(({ x64 }) => x64).filter((number) => number !== null),
      all.map(({ arm64 }) => arm64).filter((number) => number !== null),
    ]) {
      assert.lengthOf(numbers, new Set<unknown>(numbers).size)
    }
  })

  for (const architecture of ARCHITECTURES) {
    const { name, audit, needed, dangerous, missing } = architecture

    test(`on ${name} it decides about every number as the tables do`, ({ assert }) => {
      const program = bpfProgram(name)
      const numbersOf = (calls: typeof ALLOWED_CALLS) => new Set(calls.map((call) => call[name]))
      const [allowed, checked, forbidden] = [
        numbersOf(ALLOWED_CALLS),
        numbersOf(CHECKED_CALLS),
        numbersOf(REFUSED_CALLS),
      ]
      for (let number = 0; number <= 600; number++) {
        if (!checked.has(number)) {
          const known = forbidden.has(number) ? refused(EPERM) : refused(ENOSYS)
          const expected = allowed.has(number) ? ALLOW : known
          assert.equal(decide(program, audit, number), expected, String(number))
        }
      }
    })

    test(`on ${name} it allows what programs need, and nothing that is unknown`, ({ assert }) => {
      const program = bpfProgram(name)
      for (const number of needed) {
        assert.equal(decide(program, audit, number), ALLOW, String(number))
      }
      for (const number of dangerous) {
        assert.equal(decide(program, audit, number), refused(EPERM), String(number))
      }
      // Those of the x32 interface have a high bit.
      const x32 = 0x40_00_00_00 + needed[0]!
      for (const number of [...missing, 457, 2 ** 16, x32, 0xff_ff_ff_ff]) {
        assert.equal(decide(program, audit, number), refused(ENOSYS), String(number))
      }
    })

    test(`on ${name} it kills callers of another architecture`, ({ assert }) => {
      const program = bpfProgram(name)
      for (const other of ARCHITECTURES.filter((one) => one !== architecture)) {
        assert.equal(decide(program, other.audit, needed[0]!), KILL)
      }
      assert.equal(decide(program, 0x40_00_00_03, needed[0]!), KILL)
    })

    test(`on ${name} it decides by arguments, whatever their high bits are`, ({ assert }) => {
      const program = bpfProgram(name)
      const at = (number: number, ...args: number[]) => decide(program, audit, number, args)
      const { clone, socket, socketpair, ioctl, personality } = architecture
      for (const high of [0, 2 ** 32]) {
        assert.equal(at(clone, high + (0x3d_0f_00 & ~0x2_00_00)), ALLOW, 'a thread')
        assert.equal(at(clone, high + 17), ALLOW, 'a process')
        for (const bit of [17, 25, 26, 27, 28, 29, 30]) {
          assert.equal(at(clone, high + 2 ** bit + 17), refused(EPERM), `namespace ${bit}`)
        }
        for (const call of [socket, socketpair]) {
          for (const family of [1, 2, 10, 16]) {
            assert.equal(at(call, high + family), ALLOW)
          }
          for (const family of [0, 3, 17, 30, 38, 40, 44]) {
            assert.equal(at(call, high + family), refused(EAFNOSUPPORT), `family ${family}`)
          }
        }
        assert.equal(at(ioctl, 1, high + 0x54_12), refused(EPERM), 'TIOCSTI')
        assert.equal(at(ioctl, 1, high + 0x54_1c), refused(EPERM), 'TIOCLINUX')
        assert.equal(at(ioctl, 1, high + 0x54_01), ALLOW, 'TCGETS')
        assert.equal(at(personality, high + 0xff_ff_ff_ff), ALLOW, 'which one')
        assert.equal(at(personality, high + 0x4_00_00), refused(EPERM), 'ADDR_NO_RANDOMIZE')
      }
    })

    test(`on ${name} the profile of runc decides the same`, ({ assert }) => {
      const program = bpfProgram(name)
      const profile = runcProfile(name) as {
        readonly defaultAction: string
        readonly defaultErrnoRet: number
        readonly syscalls: readonly Rule[]
      }
      assert.deepInclude(profile, { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: ENOSYS })
      for (const call of [...ALLOWED_CALLS, ...REFUSED_CALLS, ...CHECKED_CALLS]) {
        if (call[name] === null) {
          continue
        }
        const argument = 'argument' in call ? (call.argument as number) : 0
        for (const word of 'argument' in call ? WORDS : [0]) {
          const args = [...Array.from({ length: argument }, () => 1), word]
          const expected = decide(program, audit, call[name], args)
          const actions = actionsOf(profile.syscalls, call.name, word)
          assert.deepEqual(actions, [expected], `${call.name} ${word}`)
        }
      }
    })
  }

  test('no jump leads out of it', ({ assert }) => {
    const program = bpfProgram('x64')
    const count = program.length / 8
    assert.isBelow(count, 1024)
    for (let index = 0; index < count; index++) {
      const code = program.readUInt16LE(8 * index)
      if ((code & 0x07) === 0x05) {
        const conditional = Math.max(program[8 * index + 2]!, program[8 * index + 3]!)
        const furthest = code === 0x05 ? program.readUInt32LE(8 * index + 4) : conditional
        assert.isBelow(index + 1 + furthest, count)
      }
    }
  })

  test('there is none for an architecture that is not in the tables', ({ assert }) => {
    assert.throws(() => bpfProgram('ia32'), /no filter .* ia32/)
  })
})
