import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Elapsed time, and processor time of this process and of those of its children that have ended. */
export interface Cost {
  readonly seconds: number
  readonly cpuSeconds: number
}

export type Costs = Readonly<Record<string, Cost>>

const NONE: Cost = { seconds: 0, cpuSeconds: 0 }

/** Measures one stretch after the other. */
export class Meter {
  #time = 0
  #cpuSeconds = 0

  /** What came since the last call, or since the process began. */
  lap(): Cost {
    const seconds = (performance.now() - this.#time) / 1000
    const total = cpuSecondsSoFar()
    const cpuSeconds = total - this.#cpuSeconds
    this.#time += seconds * 1000
    this.#cpuSeconds = total
    return { seconds, cpuSeconds }
  }
}

/** User and system time, that of this process and that of its children (`man 5 proc_pid_stat`, fields 14 to 17). */
function cpuSecondsSoFar(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / TICKS_PER_SECOND
}

/** The costs of both; those that have the same name are added up. */
export function added(costs: Costs, more: Costs): Costs {
  const sums = Object.entries(more).map(([name, cost]) => [name, sum(costs[name] ?? NONE, cost)])
  return { ...costs, ...Object.fromEntries(sums) }
}

const sum = (one: Cost, other: Cost): Cost => ({
  seconds: one.seconds + other.seconds,
  cpuSeconds: one.cpuSeconds + other.cpuSeconds,
})
