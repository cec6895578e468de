import type { StdioOptions } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'

const CLOSE_ON_EXEC = 0o2_000_000

let nothing: number | undefined

/**
 * Replaces inherited descriptors by an empty file, so that containers do not inherit them. Node.js closes only its own
 * descriptors in child processes.
 */
export function withoutInherited(stdio: readonly unknown[]): StdioOptions {
  const complete = [...stdio]
  for (const descriptor of inheritedDescriptors()) {
    complete[descriptor] ??= nothing ??= openSync('/dev/null', 'r')
  }
  return Array.from(complete, (entry) => entry ?? 'ignore') as StdioOptions
}

function inheritedDescriptors(): number[] {
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
