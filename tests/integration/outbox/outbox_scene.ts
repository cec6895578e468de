import pg from 'pg'

import type { Destination } from '#outbox/destination'
import { DESTINATIONS, type DestinationName, type Entry } from '#outbox/entry'
import { Relay } from '#outbox/relay'
import { boot } from '#tests/helpers/application'
import { randomPause } from '#tests/helpers/real_time'
import { eventually } from '#tests/helpers/eventually'

/** Random numbers that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Mood {
  /** The share of entries that fail, and that arrive without a confirmation. */
  refused?: number
  unconfirmed?: number
  slowMs?: number
  random?: () => number
}

/** A destination that delays, fails and omits confirmations; it records arrivals in order. */
export class Chaos implements Destination {
  readonly arrived: Entry[] = []
  isReady = true
  /** Queues that never confirm. */
  readonly unattended = new Set<string>()

  constructor(
    readonly name: DestinationName,
    readonly mood: Mood = {}
  ) {}

  async deliver(entry: Entry): Promise<void> {
    if (!this.isReady) {
      throw new Error(`${this.name} is away`)
    }
    if (this.unattended.has(entry.queue ?? '')) {
      return new Promise(() => {})
    }
    const { refused = 0, unconfirmed = 0, slowMs = 0, random = Math.random } = this.mood
    const fate = random()
    if (fate >= refused) {
      this.arrived.push(entry)
    }
    if (slowMs > 0) {
      await randomPause(slowMs, random)
    }
    if (fate < refused + unconfirmed) {
      throw new Error(`${this.name} does not feel like it`)
    }
  }

  get positions(): number[] {
    return this.arrived.map(({ position }) => position)
  }

  /** The positions of each record in the order of their last arrival. */
  get lastByRecord(): Map<string, number[]> {
    const lasts = new Map<number, string>()
    for (const { position, orderedBy } of this.arrived) {
      lasts.delete(position)
      lasts.set(position, orderedBy)
    }
    const records = new Map<string, number[]>()
    lasts.forEach((record, position) =>
      records.set(record, [...(records.get(record) ?? []), position])
    )
    return records
  }
}

const { audit, bus, pubsub, sockets, commands } = DESTINATIONS

/** An empty outbox in the test database. */
export class OutboxScene {
  readonly url = process.env.DATABASE_URL!
  readonly pool = new pg.Pool({ connectionString: this.url, max: 5 })
  readonly warnings: unknown[] = []
  readonly #relays: Relay[] = []

  static async open(): Promise<OutboxScene> {
    await boot()
    const scene = new OutboxScene()
    await scene.pool.query('truncate outbox restart identity')
    return scene
  }

  relay(destinations: readonly Destination[]): Relay {
    const logger = {
      info() {},
      warn: (details: unknown) => void this.warnings.push(details),
    }
    const relay = new Relay({ url: this.url, name: 'test', destinations, logger })
    this.#relays.push(relay)
    relay.start()
    return relay
  }

  /** Writes changes of some records in turns. */
  async changes(count: number, records = 10, on: pg.Pool | pg.ClientBase = this.pool) {
    await on.query(
      `insert into outbox (message_id, pending, ordered_by, content)
       select lpad(n::text, 21, '0'), $3, 'node/' || n % $2, json_build_object('n', n)
       from generate_series(1, $1::int) n`,
      [count, records, audit | bus | pubsub | sockets]
    )
  }

  async commands(queue: string, count: number) {
    await this.pool.query(
      `insert into outbox (message_id, pending, ordered_by, queue, content)
       select $2 || lpad(n::text, 10, '0'), $3, $2 || n, $2, '{}' from generate_series(1, $1::int) n`,
      [count, queue, commands]
    )
  }

  async depth(): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>('select count(*) from outbox')
    return Number(rows[0]!.count)
  }

  async untilEmpty(limitMs = 20_000): Promise<void> {
    await until('the outbox is empty', async () => (await this.depth()) === 0, limitMs)
  }

  async close(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.stop()))
    await this.pool.query('truncate outbox')
    await this.pool.end()
  }
}

/** Waits until a condition holds; throws after a timeout. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 10_000
): Promise<void> {
  await eventually(holds, limitMs).catch((cause: Error) => {
    throw new Error(`After ${limitMs / 1000} s it was still not so that ${what}`, { cause })
  })
}
