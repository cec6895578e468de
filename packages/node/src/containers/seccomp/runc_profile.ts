import {
  MISSING_CALLS,
  NAMESPACE_FLAGS,
  REFUSED_CALLS,
  SOCKET_FAMILIES,
  TERMINAL_REQUESTS,
} from './refused_calls.js'

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const refuse = (names: readonly string[], errnoRet: number, args: readonly object[] = []) => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet,
  ...(args.length > 0 && { args }),
})

/** The table of refused calls as `linux.seccomp` of a bundle. */
export function runcProfile(architecture: string = process.arch): object {
  const highest = Math.max(...SOCKET_FAMILIES)
  const others = Array.from({ length: highest }, (_, family) => family).filter(
    (family) => !SOCKET_FAMILIES.includes(family)
  )
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: [architecture === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      refuse(namesOf(REFUSED_CALLS), EPERM),
      refuse(namesOf(MISSING_CALLS), ENOSYS),
      ...Array.from({ length: 32 }, (_, bit) => 2 ** bit)
        .filter((flag) => (NAMESPACE_FLAGS & flag) !== 0)
        .map((value) =>
          refuse(['clone'], EPERM, [{ index: 0, value, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' }])
        ),
      refuse(['socket'], EAFNOSUPPORT, [{ index: 0, value: highest, op: 'SCMP_CMP_GT' }]),
      ...others.map((value) =>
        refuse(['socket'], EAFNOSUPPORT, [{ index: 0, value, op: 'SCMP_CMP_EQ' }])
      ),
      ...TERMINAL_REQUESTS.map((value) =>
        refuse(['ioctl'], EPERM, [{ index: 1, value, op: 'SCMP_CMP_EQ' }])
      ),
    ],
  }
}

const namesOf = (calls: typeof REFUSED_CALLS): string[] => calls.map(({ name }) => name)
