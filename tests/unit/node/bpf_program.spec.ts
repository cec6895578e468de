import { test } from '@japa/runner'

import { bpfProgram } from '#node/containers/seccomp/bpf_program'
import { REFUSED_CALLS } from '#node/containers/seccomp/refused_calls'

const ALLOW = 0x7f_ff_00_00
const KILL = 0x80_00_00_00
const refused = (errno: number) => 0x00_05_00_00 | errno
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
/** Of shmget, semget, msgget and mq_open. */
const SHARED = { x64: [29, 64, 68, 240], arm64: [194, 190, 186, 180] }
const X64 = { name: 'x64', audit: 0xc0_00_00_3e, read: 0, clone: 56, socket: 41, ioctl: 16 }
const ARM64 = { name: 'arm64', audit: 0xc0_00_00_b7, read: 63, clone: 220, socket: 198, ioctl: 29 }

/** Runs a filter as the kernel does. */
function decide(program: Buffer, audit: number, number: number, args: number[] = []): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(audit, 4)
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * index))
  let word = 0
  for (let at = 0; at < program.length; at += 8) {
    const operand = program.readUInt32LE(at + 4)
    const isTrue = {
      0x15: word === operand,
      0x25: word > operand,
      0x45: (word & operand) !== 0,
    }[program.readUInt16LE(at)]
    if (isTrue !== undefined) {
      at += 8 * program.readUInt8(at + (isTrue ? 2 : 3))
    } else if (program.readUInt16LE(at) === 0x20) {
      word = data.readUInt32LE(operand)
    } else {
      return operand
    }
  }
  throw new Error('The filter has no end')
}

test.group('Filter of system calls', () => {
  for (const { name, audit, read, clone, socket, ioctl } of [X64, ARM64]) {
    test(`on ${name} it refuses what the table has, and allows the rest`, ({ assert }) => {
      const program = bpfProgram(name)
      for (const call of REFUSED_CALLS) {
        const number = call[name as 'x64' | 'arm64']
        if (number !== null) {
          assert.equal(decide(program, audit, number), refused(EPERM), call.name)
        }
      }
      for (const number of SHARED[name as 'x64' | 'arm64']) {
        assert.equal(decide(program, audit, number), refused(EPERM), 'memory without an owner')
      }
      assert.equal(decide(program, audit, read), ALLOW)
      assert.equal(decide(program, audit, 435), refused(ENOSYS), 'clone3')
      assert.equal(decide(program, audit, 457), refused(ENOSYS), 'newer than the table')
      assert.equal(decide(program, audit, 0x40_00_00_00 + read), refused(ENOSYS), 'x32')
    })

    test(`on ${name} it kills callers of another architecture`, ({ assert }) => {
      const program = bpfProgram(name)
      const other = name === 'x64' ? ARM64 : X64
      assert.equal(decide(program, other.audit, read), KILL)
      assert.equal(decide(program, 0x40_00_00_03, read), KILL)
    })

    test(`on ${name} it decides by arguments of clone, socket and ioctl`, ({ assert }) => {
      const program = bpfProgram(name)
      const at = (number: number, ...args: number[]) => decide(program, audit, number, args)
      assert.equal(at(clone, 0x3d_0f_00 & ~0x2_00_00), ALLOW, 'a thread')
      assert.equal(at(clone, 17), ALLOW, 'a process')
      for (const bit of [17, 25, 26, 27, 28, 29, 30]) {
        assert.equal(at(clone, 2 ** bit + 17), refused(EPERM), `namespace ${bit}`)
      }
      for (const family of [1, 2, 10, 16]) {
        assert.equal(at(socket, family), ALLOW)
      }
      for (const family of [0, 3, 17, 38, 40, 44]) {
        assert.equal(at(socket, family), refused(EAFNOSUPPORT), `family ${family}`)
      }
      assert.equal(at(ioctl, 1, 0x54_12), refused(EPERM), 'TIOCSTI')
      assert.equal(at(ioctl, 1, 0x54_01), ALLOW, 'TCGETS')
    })
  }

  test('no jump leads out of it, and each path ends', ({ assert }) => {
    const program = bpfProgram('x64')
    const count = program.length / 8
    assert.isBelow(count, 4096)
    for (let index = 0; index < count; index++) {
      if ((program.readUInt16LE(8 * index) & 0x07) === 0x05) {
        const furthest = Math.max(program[8 * index + 2]!, program[8 * index + 3]!)
        assert.isBelow(index + 1 + furthest, count)
      }
    }
  })
})
