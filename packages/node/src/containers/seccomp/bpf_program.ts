import {
  MISSING_CALLS,
  NAMESPACE_FLAGS,
  NEWEST_CALL,
  REFUSED_CALLS,
  SOCKET_FAMILIES,
  TERMINAL_REQUESTS,
} from './refused_calls.js'

type Architecture = 'x64' | 'arm64'

interface ArchitectureNumbers {
  /** AUDIT_ARCH_… */
  readonly audit: number
  readonly clone: number
  readonly socket: number
  readonly ioctl: number
}

const ARCHITECTURES: Readonly<Record<Architecture, ArchitectureNumbers>> = {
  x64: { audit: 0xc0_00_00_3e, clone: 56, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc0_00_00_b7, clone: 220, socket: 198, ioctl: 29 },
}

/** Instructions of classic BPF: load a word, jump if equal, greater, or any bit is set, return. */
const LOAD = 0x20
const IF_EQUAL = 0x15
const IF_GREATER = 0x25
const IF_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW = 0x7f_ff_00_00
const KILL_PROCESS = 0x80_00_00_00
const fail = (errno: number): number => 0x00_05_00_00 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

/** Where `struct seccomp_data` has the number of the call, the architecture, and the low word of an argument. */
const NUMBER = 0
const ARCHITECTURE = 4
const argument = (index: number): number => 16 + 8 * index

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const load = (offset: number): Instruction => [LOAD, 0, 0, offset]
const give = (action: number): Instruction => [RETURN, 0, 0, action]

/** A filter of system calls as the kernel takes it, made from the table of refused calls. */
export function bpfProgram(architecture: string = process.arch): Buffer {
  const numbers = ARCHITECTURES[architecture as Architecture]
  if (!numbers) {
    throw new Error(`There is no filter of system calls for the architecture ${architecture}`)
  }
  return encode([
    load(ARCHITECTURE),
    [IF_EQUAL, 1, 0, numbers.audit],
    give(KILL_PROCESS),
    load(NUMBER),
    // Also the calls of the x32 interface, whose numbers have a high bit.
    [IF_GREATER, 0, 1, NEWEST_CALL],
    give(fail(ENOSYS)),
    ...refuse(MISSING_CALLS, architecture as Architecture, ENOSYS),
    ...refuse(REFUSED_CALLS, architecture as Architecture, EPERM),
    ...ofCall(numbers.clone, 0, [[IF_ANY_BIT, 0, 1, NAMESPACE_FLAGS], give(fail(EPERM))]),
    ...ofCall(numbers.socket, 0, [
      ...SOCKET_FAMILIES.flatMap((family): Instruction[] => [
        [IF_EQUAL, 0, 1, family],
        give(ALLOW),
      ]),
      give(fail(EAFNOSUPPORT)),
    ]),
    ...ofCall(
      numbers.ioctl,
      1,
      TERMINAL_REQUESTS.flatMap((request): Instruction[] => [
        [IF_EQUAL, 0, 1, request],
        give(fail(EPERM)),
      ])
    ),
    give(ALLOW),
  ])
}

function refuse(
  calls: typeof REFUSED_CALLS,
  architecture: Architecture,
  errno: number
): Instruction[] {
  return calls.flatMap(({ [architecture]: number }): Instruction[] =>
    number === null ? [] : [[IF_EQUAL, 0, 1, number], give(fail(errno))]
  )
}

/** Decides by an argument of one call. Whatever is not decided is allowed. */
function ofCall(number: number, index: number, body: readonly Instruction[]): Instruction[] {
  const checks = [load(argument(index)), ...body, give(ALLOW)]
  return [[IF_EQUAL, 0, checks.length, number], ...checks]
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
