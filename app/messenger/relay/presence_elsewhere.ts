import { isSignOfLife, type Counts, type PresenceReport } from './presence_report.js'

/** Signs of life of this process that came back while another one gave none: it is gone then. */
const MOST_MISSED = 4

interface Elsewhere {
  /** Undefined where something was missed, until everything is said again. */
  version: number | undefined
  missed: number
  counts: Map<string, number>
}

/**
 * The sockets of other processes, as far as these told. A process that tells nothing any more is gone, but only where this
 * one hears itself: else nothing is carried, and nobody knows better.
 */
export class PresenceElsewhere {
  readonly #processes = new Map<string, Elsewhere>()
  /** Called for each party whose sockets in another process become more or fewer, before that counts. */
  readonly #change: (key: string, by: number) => void

  constructor(change: (key: string, by: number) => void) {
    this.#change = change
  }

  /** How many sockets a party has in other processes. */
  countOf(key: string): number {
    return this.#processes.values().reduce((sum, { counts }) => sum + (counts.get(key) ?? 0), 0)
  }

  /** Answers whether the process has to be asked for everything. */
  hear(report: PresenceReport): boolean {
    const there = this.#known(report.process)
    there.missed = 0
    if (report.after === null) {
      this.#apply(there, [...new Map([...withoutAny(there), ...report.counts])])
    } else if (there.version === report.after) {
      this.#apply(there, report.counts)
    } else {
      // While it is asked already, only its next sign of life says that the answer was missed.
      const isAsked = there.version === undefined && !isSignOfLife(report)
      there.version = undefined
      return !isAsked
    }
    there.version = report.version
    return false
  }

  /** This process heard itself. */
  hearItself(): void {
    for (const [process, there] of this.#processes) {
      there.missed += 1
      if (there.missed > MOST_MISSED) {
        this.#apply(there, withoutAny(there))
        this.#processes.delete(process)
      }
    }
  }

  #known(process: string): Elsewhere {
    const known = this.#processes.get(process)
    const there = known ?? { version: undefined, missed: 0, counts: new Map() }
    this.#processes.set(process, there)
    return there
  }

  #apply({ counts }: Elsewhere, changed: Counts): void {
    for (const [key, count] of changed) {
      this.#change(key, count - (counts.get(key) ?? 0))
      if (count > 0) {
        counts.set(key, count)
      } else {
        counts.delete(key)
      }
    }
  }
}

/** What a process would say that has no sockets any more. */
function withoutAny({ counts }: Elsewhere): Counts {
  return [...counts.keys()].map((key) => [key, 0])
}
