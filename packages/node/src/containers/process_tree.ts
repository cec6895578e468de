import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The descendants of a process. Processes that end meanwhile may be missing. */
export function descendants(ancestor: number): number[] {
  const found: number[] = []
  const open = [ancestor]
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    const children = childrenOf(pid)
    found.push(...children)
    open.push(...children)
  }
  return found
}

/** The children of all threads of a process. */
export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    procFile(`${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number)
  )
}

/** The parent of a process; 0 if it has ended, or is outside. */
export const parentOf = (pid: number): number =>
  Number(/^PPid:\s*(\d+)/m.exec(procFile(`${pid}/status`))?.[1] ?? 0)

export function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** A process that only waits for its parent to read its exit code counts as ended. */
export function isRunning(pid: number): boolean {
  const stat = procFile(`${pid}/stat`)
  return stat !== '' && stat[stat.lastIndexOf(')') + 2] !== 'Z'
}

/** A file of `/proc`; empty if its process has ended, or belongs to somebody else. */
export function procFile(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

/** The target of a link of `/proc`; empty if its process has ended, or belongs to somebody else. */
export function procLink(path: string): string {
  try {
    return readlinkSync(`/proc/${path}`)
  } catch {
    return ''
  }
}
