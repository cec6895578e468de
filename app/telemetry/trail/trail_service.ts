import { Readable } from 'node:stream'

import { inject } from '@adonisjs/core'

import { enforce, requires } from '#kernel/access'
import { ConcurrencyLimit, type LimitScope } from '#kernel/concurrency_limit'
import { RateLimited, ServiceUnavailable } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { SecurityAudit } from '#audit/security_audit'
import { telemetryPool } from '#telemetry/database'
import { exportTrail } from './export_trail.js'
import { HeadAnchor } from './head_anchor.js'
import { visibleChains } from './visible_chains.js'
import { trailKey } from './trail_key.js'
import { allChains, verifyTrail, type TrailVerdict } from './verify_trail.js'

const CHUNK_LENGTH = 64 * 1024

const RETRY_AFTER_SECONDS = 30

/** A check uses a connection and a snapshot while it runs; an export holds a portion of the trail in memory. */
const CHECKS = { perCaller: 1, total: 3, refusal: refusalOf('verifications') }
const EXPORTS = { perCaller: 2, total: 16, refusal: refusalOf('exports') }

export const TRAIL_ACCESS = requires('event_read')

/**
 * Verifies and exports the audit trail. The master realm sees all chains, others that of their realm and that of events
 * without a realm.
 */
@inject()
export class TrailService {
  readonly #pool = telemetryPool()
  readonly #anchor: HeadAnchor
  readonly #audit: SecurityAudit
  readonly #checks = new ConcurrencyLimit(CHECKS)
  readonly #exports = new ConcurrencyLimit(EXPORTS)

  constructor(anchor: HeadAnchor, audit: SecurityAudit) {
    this.#anchor = anchor
    this.#audit = audit
  }

  /** Verifies what the actor sees, and records the result, so that others see when that was done last. */
  async verify(origin: Origin, signal: AbortSignal): Promise<TrailVerdict> {
    const { actor } = origin
    enforce(TRAIL_ACCESS, actor)
    return this.#checks.run(actor, async () => {
      const verdict = await this.verifyChains({ chains: visibleChains(actor), signal })
      await this.#audit.trailVerified(origin, { isIntact: verdict.intact })
      return verdict
    })
  }

  /** Without an actor: for commands on the machine. */
  verifyChains(which: {
    chains?: readonly string[]
    signal?: AbortSignal
    progress?: (events: number) => void
  }): Promise<TrailVerdict> {
    return verifyTrail(this.#pool, { ...which, key: trailKey(), anchor: this.#anchor })
  }

  async export({ actor }: Origin): Promise<Readable> {
    enforce(TRAIL_ACCESS, actor)
    const chains = visibleChains(actor) ?? (await allChains(this.#pool, this.#anchor))
    const end = this.#exports.start(actor)
    const lines = exportTrail(this.#pool, { chains, key: trailKey() })
    const stream = Readable.from(inChunks(lines), { objectMode: false })
    return stream.once('close', end)
  }
}

/** The limit of one caller is its own matter; that of all is a state of the platform. */
function refusalOf(what: string) {
  return (scope: LimitScope) =>
    scope === 'caller'
      ? new RateLimited(
          RETRY_AFTER_SECONDS,
          `Your ${what} of the audit trail are still running: end one, or try again later`
        )
      : new ServiceUnavailable(`Too many ${what} of the audit trail are running; try again later`)
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let buffer = ''
  for await (const line of lines) {
    buffer += line
    if (buffer.length >= CHUNK_LENGTH) {
      yield Buffer.from(buffer)
      buffer = ''
    }
  }
  yield Buffer.from(buffer)
}
