import { readdirSync, readFileSync } from 'node:fs'

const CLOSE_ON_EXEC = 0o2_000_000

/**
 * The descriptors that a child process inherits although nobody gave them to it: those that this process itself inherited.
 * Node.js closes only what it opened.
 */
export function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor))
}

function closesOnExec(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(info) ?? []
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0
  } catch {
    // It was that of the listing.
    return true
  }
}
