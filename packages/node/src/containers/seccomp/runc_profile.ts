import {
  ALLOWED_CALLS,
  CHECKED_CALLS,
  ENOSYS,
  EPERM,
  REFUSED_CALLS,
  type CheckedCall,
  type SystemCall,
} from './system_calls.js'

const BITS = Array.from({ length: 32 }, (_, bit) => 2 ** bit)
const ALL_BITS = 0xff_ff_ff_ff

/** Compares an argument under a mask. */
interface Comparison {
  readonly mask: number
  readonly value: number
}

/** The tables of calls as `linux.seccomp` of a bundle. */
export function runcProfile(architecture: string = process.arch): object {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ENOSYS,
    architectures: [architecture === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      { names: namesOf(ALLOWED_CALLS), ...ALLOW },
      { names: namesOf(REFUSED_CALLS), ...refuse(EPERM) },
      ...CHECKED_CALLS.flatMap(rulesOf),
    ],
  }
}

const ALLOW = { action: 'SCMP_ACT_ALLOW' }
const refuse = (errnoRet: number) => ({ action: 'SCMP_ACT_ERRNO', errnoRet })

const namesOf = (calls: readonly SystemCall[]): string[] => calls.map(({ name }) => name)

/** A profile has no "else", so the complement is listed as well. */
function rulesOf({ name, argument: index, condition, errno }: CheckedCall): object[] {
  const rules = (comparisons: readonly Comparison[], action: object): object[] =>
    comparisons.map(({ mask, value }) => ({
      names: [name],
      ...action,
      args: [{ index, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' }],
    }))
  if ('withoutBits' in condition) {
    const { withoutBits } = condition
    const each = BITS.filter((bit) => (withoutBits & bit) !== 0)
    return [
      ...rules([{ mask: withoutBits, value: 0 }], ALLOW),
      ...rules(each.map(equals), refuse(errno)),
    ]
  }
  const isExcept = 'exceptValues' in condition
  const values = isExcept ? condition.exceptValues : condition.onlyValues
  const [listed, others] = isExcept ? [refuse(errno), ALLOW] : [ALLOW, refuse(errno)]
  return [
    ...rules(
      values.map((value) => ({ mask: ALL_BITS, value })),
      listed
    ),
    ...rules(complement(values), others),
  ]
}

const equals = (bits: number): Comparison => ({ mask: bits, value: bits })

/** All words of 32 bits that are none of the values: those that begin like some of them, and differ in the next bit. */
function complement(values: readonly number[], mask = 0, prefix = 0): Comparison[] {
  const within = values.filter((value) => (value & mask) >>> 0 === prefix)
  if (within.length === 0) {
    return [{ mask, value: prefix }]
  }
  const next = 2 ** (31 - countBits(mask))
  return mask === ALL_BITS
    ? []
    : [prefix, prefix + next].flatMap((begin) => complement(within, mask + next, begin))
}

const countBits = (word: number): number => BITS.filter((bit) => (word & bit) !== 0).length
