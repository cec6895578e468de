import { Readable } from 'node:stream'

import type pg from 'pg'

import { enforce, holding } from '#kernel/access'
import { ServiceUnavailable } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { exportTrail } from './export_trail.js'
import type { HeadAnchor } from './head_anchor.js'
import { seenChains } from './seen_chains.js'
import { trailKey } from './trail_key.js'
import { allChains, verifyTrail, type Verdict } from './verify_trail.js'

const CHUNK_LENGTH = 64 * 1024

/** Each holds a connection, and a snapshot of the database, for as long as it takes or its reader takes. */
const AT_ONCE = 2

export const READING = holding('event_read')

export interface TrailServiceOptions {
  readonly pool: pg.Pool
  readonly anchor: HeadAnchor
}

/**
 * The proof of the audit trail. The master realm checks all of it, others their realm's chain and that of no realm.
 */
export class TrailService {
  readonly #pool: pg.Pool
  readonly #anchor: HeadAnchor
  #underWay = 0

  constructor({ pool, anchor }: TrailServiceOptions) {
    this.#pool = pool
    this.#anchor = anchor
  }

  async verify({ actor }: Origin, signal: AbortSignal): Promise<Verdict> {
    enforce(READING, actor)
    this.#begin()
    try {
      return await this.verifyChains({ chains: seenChains(actor), signal })
    } finally {
      this.#underWay--
    }
  }

  /** Without a caller: for whoever works at the machine itself. */
  verifyChains(which: {
    chains?: readonly string[]
    signal?: AbortSignal
    progress?: (events: number) => void
  }): Promise<Verdict> {
    return verifyTrail(this.#pool, { ...which, key: trailKey(), anchor: this.#anchor })
  }

  async export({ actor }: Origin): Promise<Readable> {
    enforce(READING, actor)
    const chains = seenChains(actor) ?? (await allChains(this.#pool, this.#anchor))
    this.#begin()
    const lines = exportTrail(this.#pool, { chains, key: trailKey() })
    const stream = Readable.from(inChunks(lines), { objectMode: false })
    return stream.once('close', () => this.#underWay--)
  }

  #begin(): void {
    if (this.#underWay >= AT_ONCE) {
      throw new ServiceUnavailable(
        'The audit trail is being checked or exported already; try again when that is over'
      )
    }
    this.#underWay++
  }
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let gathered = ''
  for await (const line of lines) {
    gathered += line
    if (gathered.length >= CHUNK_LENGTH) {
      yield Buffer.from(gathered)
      gathered = ''
    }
  }
  yield Buffer.from(gathered)
}
