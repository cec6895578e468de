import { isHeartbeat, type Counts, type PresenceReport } from './presence_report.js'

/** Signs of life of this process that came back while another one gave none: it is gone then. */
const MAX_MISSED_HEARTBEATS = 4

interface RemoteProcess {
  /** Undefined where something was missed, until everything is said again. */
  version: number | undefined
  missed: number
  counts: Map<string, number>
}

/**
 * The sockets of other processes, as far as these told. A process that tells nothing any more is gone, but only where this
 * one hears itself: else nothing is carried, and nobody knows better.
 */
export class RemotePresence {
  readonly #processes = new Map<string, RemoteProcess>()
  /** Called for each party whose sockets in another process become more or fewer, before that counts. */
  readonly #onChange: (key: string, by: number) => void

  constructor(onChange: (key: string, by: number) => void) {
    this.#onChange = onChange
  }

  /** How many sockets a party has in other processes. */
  countOf(key: string): number {
    return this.#processes.values().reduce((sum, { counts }) => sum + (counts.get(key) ?? 0), 0)
  }

  /** Answers whether the process has to be asked for everything. */
  receive(report: PresenceReport): boolean {
    const remote = this.#processFor(report.process)
    remote.missed = 0
    if (report.after === null) {
      this.#apply(remote, [...new Map([...zeroCounts(remote), ...report.counts])])
    } else if (remote.version === report.after) {
      this.#apply(remote, report.counts)
    } else {
      // While it is asked already, only its next sign of life says that the answer was missed.
      const isRequested = remote.version === undefined && !isHeartbeat(report)
      remote.version = undefined
      return !isRequested
    }
    remote.version = report.version
    return false
  }

  /** This process heard itself. */
  receiveOwnHeartbeat(): void {
    for (const [process, remote] of this.#processes) {
      remote.missed += 1
      if (remote.missed > MAX_MISSED_HEARTBEATS) {
        this.#apply(remote, zeroCounts(remote))
        this.#processes.delete(process)
      }
    }
  }

  #processFor(process: string): RemoteProcess {
    const known = this.#processes.get(process)
    const remote = known ?? { version: undefined, missed: 0, counts: new Map() }
    this.#processes.set(process, remote)
    return remote
  }

  #apply({ counts }: RemoteProcess, changed: Counts): void {
    for (const [key, count] of changed) {
      this.#onChange(key, count - (counts.get(key) ?? 0))
      if (count > 0) {
        counts.set(key, count)
      } else {
        counts.delete(key)
      }
    }
  }
}

/** What a process would say that has no sockets any more. */
function zeroCounts({ counts }: RemoteProcess): Counts {
  return [...counts.keys()].map((key) => [key, 0])
}
