import {
  ALLOWED_CALLS,
  CHECKED_CALLS,
  ENOSYS,
  EPERM,
  REFUSED_CALLS,
  type CheckedCall,
} from './system_calls.js'

type Architecture = 'x64' | 'arm64'

/** AUDIT_ARCH_… */
const ARCHITECTURES: Readonly<Record<Architecture, number>> = {
  x64: 0xc0_00_00_3e,
  arm64: 0xc0_00_00_b7,
}

/** Instructions of classic BPF: load a word, jump (always, or if equal, at least, or any bit is set), return. */
const LOAD = 0x20
const JUMP = 0x05
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW = 0x7f_ff_00_00
const KILL_PROCESS = 0x80_00_00_00
const fail = (errno: number): number => 0x00_05_00_00 | errno

/** Where `struct seccomp_data` has the number of the call, the architecture, and the low word of an argument. */
const NUMBER = 0
const ARCHITECTURE = 4
const argument = (index: number): number => 16 + 8 * index

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const load = (offset: number): Instruction => [LOAD, 0, 0, offset]
const give = (action: number): Instruction => [RETURN, 0, 0, action]

/** The action for system calls from a number on, up to the next decision. */
interface Decision {
  readonly from: number
  readonly body: readonly Instruction[]
}

/** Compiles the tables of system calls into a seccomp filter of the kernel. */
export function bpfProgram(architecture: string = process.arch): Buffer {
  const audit = ARCHITECTURES[architecture as Architecture]
  if (audit === undefined) {
    throw new Error(`There is no filter of system calls for the architecture ${architecture}`)
  }
  return encode([
    load(ARCHITECTURE),
    [IF_EQUAL, 1, 0, audit],
    give(KILL_PROCESS),
    load(NUMBER),
    ...search(decisions(architecture as Architecture)),
  ])
}

/** The decisions for all numbers; equal neighbours are merged. */
function decisions(architecture: Architecture): Decision[] {
  const bodies = new Map<number | null, readonly Instruction[]>([
    ...ALLOWED_CALLS.map((call) => [call[architecture], [give(ALLOW)]] as const),
    ...CHECKED_CALLS.map((call) => [call[architecture], checksOf(call)] as const),
    ...REFUSED_CALLS.map((call) => [call[architecture], [give(fail(EPERM))]] as const),
  ])
  const missing = [give(fail(ENOSYS))]
  const newest = Math.max(...bodies.keys().map(Number))
  // The last one is also that of the x32 interface, whose numbers have a high bit.
  const all = Array.from({ length: newest + 2 }, (_, number) => ({
    from: number,
    body: bodies.get(number) ?? missing,
  }))
  return all.filter(({ from, body }) => from === 0 || String(body) !== String(all[from - 1]!.body))
}

function checksOf({ argument: index, condition, errno }: CheckedCall): Instruction[] {
  const [refused, allowed] = [give(fail(errno)), give(ALLOW)]
  const perValue = (values: readonly number[], action: Instruction): Instruction[] =>
    values.flatMap((value): Instruction[] => [[IF_EQUAL, 0, 1, value], action])
  if ('onlyValues' in condition) {
    return [load(argument(index)), ...perValue(condition.onlyValues, allowed), refused]
  }
  if ('exceptValues' in condition) {
    return [load(argument(index)), ...perValue(condition.exceptValues, refused), allowed]
  }
  return [load(argument(index)), [IF_ANY_BIT, 0, 1, condition.withoutBits], refused, allowed]
}

/** Halves the decisions until one is left, so that each call is decided after a few comparisons. */
function search(sorted: readonly Decision[]): readonly Instruction[] {
  if (sorted.length === 1) {
    return sorted[0]!.body
  }
  const middle = sorted.length >> 1
  const lower = search(sorted.slice(0, middle))
  // A conditional jump skips at most 255 instructions.
  return [
    [IF_AT_LEAST, 0, 1, sorted[middle]!.from],
    [JUMP, 0, 0, lower.length],
    ...lower,
    ...search(sorted.slice(middle)),
  ]
}

/** `struct sock_filter`, in the byte order of both architectures. */
function encode(instructions: readonly Instruction[]): Buffer {
  const program = Buffer.alloc(8 * instructions.length)
  instructions.forEach(([code, ifTrue, ifFalse, operand], index) => {
    program.writeUInt16LE(code, 8 * index)
    program.writeUInt8(ifTrue, 8 * index + 2)
    program.writeUInt8(ifFalse, 8 * index + 3)
    program.writeUInt32LE(operand, 8 * index + 4)
  })
  return program
}
