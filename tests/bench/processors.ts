import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { cpuMicroseconds } from './load.js'

const MICROSECONDS_PER_TICK = 10_000

/** What a server and PostgreSQL have used of the processors so far. */
export function serverMicroseconds(pid: number): number {
  return cpuMicroseconds(pid) + postgresMicroseconds()
}

/** What PostgreSQL has used of the processors so far: every process of it, which are few and stay. */
export function postgresMicroseconds(): number {
  return postgresProcesses()
    .slice(1)
    .reduce((sum, pid) => sum + cpuMicroseconds(pid), 0)
}

/** The processes of PostgreSQL, the one first that starts the others. */
export function postgresProcesses(): number[] {
  const folder = join(process.env.DATA_DIR!, 'postgres', 'cluster')
  const postmaster = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  const others = readdirSync('/proc').filter(
    (entry) => /^\d+$/.test(entry) && parentOf(entry) === postmaster
  )
  return [postmaster, ...others.map(Number)]
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])
  } catch {
    return undefined
  }
}

/** What all processors of the machine have done so far, and for how long they had nothing to do. */
export function machineMicroseconds(): { busy: number; idle: number } {
  const [user, nice, system, idle, waiting, ...others] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]!
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) * MICROSECONDS_PER_TICK) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const busy = [user, nice, system, ...others].reduce((sum, each) => sum + each, 0)
  return { busy, idle: idle + waiting }
}
