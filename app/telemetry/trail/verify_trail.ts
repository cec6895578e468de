import type pg from 'pg'

import { checkBatch, type Finding, type Predecessor } from './check_batch.js'
import type { Reporter } from '#telemetry/events/reporter'
import type { HeadAnchor } from './head_anchor.js'
import type { SealedEvent } from './leaf.js'
import { portionsWithin, readChain } from './read_chain.js'
import { inSnapshot } from './snapshot.js'
import { NO_REALM, statementOf } from './statements.js'
import type { TrailKey } from './trail_key.js'

const MAX_LISTED = 1_000

/** The result of a verification. */
export interface TrailVerdict {
  readonly intact: boolean
  readonly chains: number
  readonly batches: number
  readonly events: number
  readonly removed: number
  /** Events by the type of their reporter: `bus`, `user`, …; `unknown` for older ones. */
  readonly reporters: Readonly<Record<string, number>>
  /** The number of findings, of which at most a thousand are listed. */
  readonly found: number
  readonly findings: readonly Finding[]
  /** Chains without an anchored head, where a cut would go unnoticed. */
  readonly unanchored: readonly string[]
}

export interface Verification {
  readonly key: TrailKey
  readonly anchor: HeadAnchor
  /** The chains to verify; all of them by default. */
  readonly chains?: readonly string[]
  /** Called with the number of events verified so far. */
  readonly progress?: (events: number) => void
  readonly signal?: AbortSignal
}

/** Verifies the audit trail in one snapshot of the database, with bounded memory. */
export function verifyTrail(pool: pg.Pool, verification: Verification): Promise<TrailVerdict> {
  return inSnapshot(pool, (client) => verifyWithin(client, verification))
}

/** The same within an open transaction. */
export function verifyWithin(
  client: pg.ClientBase,
  verification: Verification
): Promise<TrailVerdict> {
  return new Verifier(client, verification).run()
}

/** All chains: those of the tables, those that only have a head, and those that only have events. */
export async function allChains(
  on: pg.ClientBase | pg.Pool,
  anchor: HeadAnchor
): Promise<string[]> {
  const { rows } = await on.query<{ chain: string }>(
    `select chain from event_chains union select chain from event_batches
     union select distinct coalesce(realm_id::text, $1) from events`,
    [NO_REALM]
  )
  const anchored = await anchor.chains()
  return [...new Set([...rows.map(({ chain }) => chain), ...anchored])].toSorted()
}

class Verifier {
  readonly #findings: Finding[] = []
  readonly #unanchored: string[] = []
  readonly #reporters = new Map<string, number>()
  #found = 0
  #batches = 0
  #events = 0
  #removed = 0

  constructor(
    readonly client: pg.ClientBase,
    readonly verification: Verification
  ) {}

  async run(): Promise<TrailVerdict> {
    const { anchor } = this.verification
    const chains = this.verification.chains ?? (await allChains(this.client, anchor))
    for (const chain of chains) {
      await this.#verifyChain(chain)
    }
    return {
      intact: this.#found === 0,
      chains: chains.length,
      batches: this.#batches,
      events: this.#events,
      removed: this.#removed,
      reporters: Object.fromEntries(this.#reporters),
      found: this.#found,
      findings: this.#findings,
      unanchored: this.#unanchored,
    }
  }

  async #verifyChain(chain: string): Promise<void> {
    const { key, signal, progress } = this.verification
    const anchored = await this.verification.anchor.read(chain)
    const isAnchored =
      anchored !== undefined && key.verifies(statementOf.head(anchored), anchored.signature)
    let before: Predecessor = { number: 0, digest: null }
    let present = 0
    for await (const batch of readChain(chain, portionsWithin(this.client))) {
      signal?.throwIfAborted()
      const checked = checkBatch(batch, before, key)
      checked.findings.forEach((finding) => this.#addFinding(finding))
      before = { number: batch.header.number, digest: checked.digest }
      this.#batches++
      present += checked.present.length
      checked.present.forEach((event) => this.#countReporter(event))
      this.#removed += checked.removed
      if (isAnchored && anchored.number === before.number && anchored.digest !== before.digest) {
        this.#addFinding({ type: 'broken', chain, number: before.number })
      }
      progress?.(this.#events + present)
    }
    this.#events += present
    if (isAnchored && anchored.number > before.number) {
      this.#addFinding({ type: 'cut', chain, number: before.number })
    } else if (!isAnchored && before.number > 0) {
      this.#unanchored.push(chain)
    }
    await this.#findInserted(chain, present)
  }

  /** Finds events that are in no batch. It searches only if the chain has more rows than its batches. */
  async #findInserted(chain: string, present: number): Promise<void> {
    const isOfChain = chain === NO_REALM ? 'realm_id is null' : 'realm_id = $1::uuid'
    const values = chain === NO_REALM ? [] : [chain]
    const { rows } = await this.client.query<{ count: string }>(
      `select count(*) from events where ${isOfChain}`,
      values
    )
    if (Number(rows[0]!.count) === present) {
      return
    }
    const inserted = await this.client.query<{ id: string }>(
      `with sealed as materialized (
         select encode(substring(ids from 16 * n + 1 for 16), 'hex')::uuid as id, chain
         from event_batches, generate_series(0, length(ids) / 16 - 1) n)
       select id from events e where ${isOfChain}
         and not exists (select 1 from sealed s where s.id = e.id and s.chain = coalesce(e.realm_id::text, '${NO_REALM}'))`,
      values
    )
    inserted.rows.forEach(({ id }) => this.#addFinding({ type: 'inserted', chain, id }))
  }

  #countReporter({ reportedBy }: SealedEvent): void {
    const type = String((reportedBy as Partial<Reporter> | null)?.type ?? 'unknown')
    this.#reporters.set(type, (this.#reporters.get(type) ?? 0) + 1)
  }

  #addFinding(finding: Finding): void {
    this.#found++
    if (this.#findings.length < MAX_LISTED) {
      this.#findings.push(finding)
    }
  }
}
