import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LOOPBACK = /^(0100007F|0{24}01000000|0{16}FFFF00000100007F):/
const LISTENING = '0A'
/** Also those that have ended. */
const STOPPED = ['T', 't', 'Z', 'X']

/** Every process that a process has started, and what those have started, for as long as their parents live. */
export function descendants(ancestor: number): number[] {
  const parents = new Map(processes().map((pid) => [pid, parentOf(pid)]))
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid)
    return parent !== undefined && (parent === ancestor || isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow)
}

/** A process that has ended and only waits for its parent to take note of it does not count. */
export function isAlive(pid: number): boolean {
  const state = fieldsAfterName(pid)[0]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

/** One thread of a process hears that it is to stop, and until that one gets a processor the others go on. */
export function isStopped(pid: number): boolean {
  return threadsOf(pid).every((thread) => {
    const [state] = fieldsAfterName(`${pid}/task/${thread}`)
    return state === undefined || STOPPED.includes(state)
  })
}

/**
 * The processes that work in a folder or were started with it as their home, whatever their parent is by now.
 * One that renames itself loses its environment, one that becomes a daemon its working directory.
 */
export function livingIn(folder: string): number[] {
  const home = `\0HOME=${folder}\0`
  return processes().filter(
    (pid) =>
      `${linkTarget(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`) ||
      `\0${procFile(pid, 'environ')}\0`.includes(home)
  )
}

/** The addresses a process listens on that can be reached from another machine, as the kernel writes them. */
export function exposedListeners(pid: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => linkTarget(`/proc/${pid}/fd/${fd}`))
  )
  return ['tcp', 'tcp6']
    .flatMap((protocol) => procFile(pid, `net/${protocol}`).trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , , state, , , , , , inode]) => state === LISTENING && sockets.has(`socket:[${inode}]`)
    )
    .map(([, address]) => address ?? '')
    .filter((address) => !LOOPBACK.test(address))
}

/** A file of a process's folder in /proc; empty where the process is gone. */
export function procFile(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function parentOf(pid: number): number {
  return Number(fieldsAfterName(pid)[1])
}

/** Of a process, or of one of its threads, by its folder. The name stands in brackets and may hold blanks and brackets of its own. */
function fieldsAfterName(pid: number | string): string[] {
  const stat = procFile(pid, 'stat')
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
