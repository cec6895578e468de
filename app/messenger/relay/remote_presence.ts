import { isHeartbeat, type Counts, type PresenceReport } from './presence_report.js'

/**
 * How many of its own heartbeats this process may receive without one of another process before it drops that one.
 */
const MAX_MISSED_HEARTBEATS = 4

interface RemoteProcess {
  /** Undefined after a missed report, until a full one arrives. */
  version: number | undefined
  missed: number
  counts: Map<string, number>
}

/**
 * The sockets that other processes reported. A process without heartbeats is dropped, but only while this process
 * receives its own: otherwise the signals are down, not the process.
 */
export class RemotePresence {
  readonly #processes = new Map<string, RemoteProcess>()
  /** Called for each change of a party's sockets, before the change is counted. */
  readonly #onChange: (key: string, by: number) => void

  constructor(onChange: (key: string, by: number) => void) {
    this.#onChange = onChange
  }

  /** The number of sockets of a party in other processes. */
  countOf(key: string): number {
    return this.#processes.values().reduce((sum, { counts }) => sum + (counts.get(key) ?? 0), 0)
  }

  /** Applies a report. Returns whether a full report has to be requested. */
  receive(report: PresenceReport): boolean {
    const remote = this.#processFor(report.process)
    remote.missed = 0
    if (report.after === null) {
      this.#apply(remote, [...new Map([...zeroCounts(remote), ...report.counts])])
    } else if (remote.version === report.after) {
      this.#apply(remote, report.counts)
    } else {
      // A full report was requested already; its next heartbeat shows that the answer was lost.
      const isRequested = remote.version === undefined && !isHeartbeat(report)
      remote.version = undefined
      return !isRequested
    }
    remote.version = report.version
    return false
  }

  /** This process received its own heartbeat. */
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

/** The report of a process without sockets. */
function zeroCounts({ counts }: RemoteProcess): Counts {
  return [...counts.keys()].map((key) => [key, 0])
}
