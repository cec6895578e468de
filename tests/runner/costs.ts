/** Elapsed time and processor time of this process, without that of other processes. */
export interface Cost {
  readonly seconds: number
  readonly cpuSeconds: number
}

export type Costs = Readonly<Record<string, Cost>>

const NONE: Cost = { seconds: 0, cpuSeconds: 0 }

/** Measures one stretch after the other. */
export class Meter {
  #time = 0
  #cpu = { user: 0, system: 0 }

  /** What came since the last call, or since the process began. */
  lap(): Cost {
    const seconds = (performance.now() - this.#time) / 1000
    const { user, system } = process.cpuUsage(this.#cpu)
    this.#time += seconds * 1000
    this.#cpu = process.cpuUsage()
    return { seconds, cpuSeconds: (user + system) / 1e6 }
  }
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
