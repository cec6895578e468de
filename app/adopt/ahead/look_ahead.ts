import { databaseUrl } from '#database/addresses'
import { isAdopting } from '#database/is_adopting'
import { pools } from '#database/pools'
import type { UnknownPeople } from '#core/removals'
import { Findings, type Finding } from '#adopt/findings'
import { contentChanges } from './content_changes.js'
import { expiringEvents } from './expiring_events.js'
import { peopleChanges } from './people_changes.js'
import { recordChanges } from './record_changes.js'
import type { UpcomingChange } from './upcoming_change.js'

/** Takes every row, not only the few that are shown. */
export type ChangeRecorder = (table: string, problem: string, id: string) => void

interface TableOutlook {
  readonly table: string
  readonly findings: readonly Finding[]
}

/** What the hub will change by itself in the first hour after its start. */
export interface Outlook {
  /** While an adoption is open, the sweeps that compare do nothing. */
  readonly isOpen: boolean
  readonly tables: readonly TableOutlook[]
  /** Why the request to the identity provider failed. */
  readonly identityProblem?: string
}

/** Reads this installation and its identity provider only, and changes nothing. */
export async function lookAhead(
  askProvider: () => Promise<UnknownPeople>,
  record: ChangeRecorder
): Promise<Outlook> {
  const [core, storage, telemetry, messenger] = (
    ['core', 'storage', 'telemetry', 'messenger'] as const
  ).map((surface) => pools.for(databaseUrl(surface)))
  const found = new TableFindings(record)
  await found.take(contentChanges(core!, storage!))
  await found.take(recordChanges('core', core!))
  await found.take(recordChanges('messenger', messenger!))
  await found.take(expiringEvents(telemetry!))
  const identityProblem = await found.take(peopleChanges(askProvider)).then(
    () => undefined,
    (error: Error) => error.message
  )
  const open = await Promise.all([isAdopting(core!), isAdopting(storage!)])
  return {
    isOpen: open.some(Boolean),
    tables: found.all,
    ...(identityProblem !== undefined && { identityProblem }),
  }
}

/** Collects what is found, by table. */
class TableFindings {
  readonly #record: ChangeRecorder
  readonly #tables = new Map<string, Findings>()

  constructor(record: ChangeRecorder) {
    this.#record = record
  }

  get all(): TableOutlook[] {
    return [...this.#tables].map(([table, findings]) => ({ table, findings: findings.all }))
  }

  async take(changes: AsyncIterable<UpcomingChange>): Promise<void> {
    for await (const { table, problem, id } of changes) {
      this.#of(table).add(problem, id)
    }
  }

  #of(table: string): Findings {
    const known = this.#tables.get(table)
    if (known) {
      return known
    }
    const findings = new Findings((problem, id) => this.#record(table, problem, id))
    this.#tables.set(table, findings)
    return findings
  }
}
