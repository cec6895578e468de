import { hash } from 'node:crypto'

import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { identityPool } from '#identity/embedded/database'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { oncePer } from '#kernel/once_per'

import { networkOf } from './network.js'
import { TooManyFailures } from './too_many_failures.js'

const FAILURES_ALLOWED = 10
const WINDOW_MS = 60_000

/** All addresses that never signed in to the account share one count. */
const STRANGERS = 'strangers'

/** How many addresses of an account are known, and that many addresses cannot make more rows. */
const MAX_SOURCES = 100

/** How long an address stays known after a login, and how often that is updated. */
export const SOURCE_KNOWN_MS = 30 * 24 * 3_600_000
const SOURCE_UPDATE_MS = 24 * 3_600_000

interface AttemptState {
  known: boolean
  fresh: boolean
  failures: number | null
  since: Date | null
}

const ATTEMPT_STATE = `
  with source as (
    select seen_at from identity_sign_in_sources where account = $1 and source = $2 and seen_at > $3
  )
  select exists (select 1 from source) as known,
    exists (select 1 from source where seen_at > $4) as fresh, f.failures, f.since
  from (select 1) one left join identity_sign_in_failures f
    on f.account = $1 and f.since > $5
    and f.source = case when exists (select 1 from source) then $2 else $6 end`

const COUNT = `
  insert into identity_sign_in_failures as f (account, source, failures, since)
  values ($1, $2, 1, $3)
  on conflict (account, source) do update set
    failures = case when f.since > $4 then f.failures + 1 else 1 end,
    since = case when f.since > $4 then f.since else excluded.since end
  returning failures`

/** Within this process attempts queue here, so that they use no connections of the pool while they wait. */
const comparisonsIn = oncePer((_pool: DatabasePool) => new KeyedMutex())

/**
 * A login attempt. Ten failures within a minute block the account for the rest of it. Addresses that signed in before
 * are counted separately, so that strangers only block strangers. So is every address if the secret cannot be guessed:
 * then no stranger blocks another one.
 */
export class SignInAttempt {
  readonly #account: string
  readonly #source: string
  readonly #sourceOfStranger: string
  #state: AttemptState | undefined

  /** `account` is any key of the account. Only its digest is stored. */
  constructor(account: string, address: string, { countsByAddress = false } = {}) {
    this.#account = hash('sha256', account)
    this.#source = hash('sha256', `${account} ${networkOf(address)}`)
    this.#sourceOfStranger = countsByAddress ? this.#source : STRANGERS
  }

  /**
   * Compares a secret exclusively for those who share a count, across processes, so that concurrent guesses gain
   * nothing. Returns undefined on success, else whether it was the last allowed failure.
   */
  async compareExclusively(
    compare: () => Promise<boolean>
  ): Promise<{ readonly isLast: boolean } | undefined> {
    const owner = this.#sourceOfStranger === STRANGERS ? this.#account : this.#source
    const compareLocked = async () =>
      inTransaction(identityPool(), async (transaction) => {
        await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [owner])
        await this.requireOpen(transaction)
        return (await compare()) ? { isLast: await this.failed(transaction) } : undefined
      })
    return comparisonsIn(identityPool()).run(owner, compareLocked)
  }

  /** Throws if the account is blocked for this attempt. */
  async requireOpen(runner: pg.Pool | pg.ClientBase = identityPool()): Promise<void> {
    const now = clock.now()
    const { rows } = await runner.query<AttemptState>({
      name: 'sign-in-state',
      text: ATTEMPT_STATE,
      values: [
        this.#account,
        this.#source,
        new Date(now - SOURCE_KNOWN_MS),
        new Date(now - SOURCE_UPDATE_MS),
        new Date(now - WINDOW_MS),
        this.#sourceOfStranger,
      ],
    })
    this.#state = rows[0]!
    const { failures, since } = this.#state
    if (failures !== null && failures >= FAILURES_ALLOWED) {
      throw new TooManyFailures(since!.getTime() + WINDOW_MS - now)
    }
  }

  /** Counts a failure. Returns whether it was the last one allowed. */
  async failed(runner: pg.Pool | pg.ClientBase = identityPool()): Promise<boolean> {
    const now = clock.now()
    const source = this.#state?.known ? this.#source : this.#sourceOfStranger
    const { rows } = await runner.query<{ failures: number }>(COUNT, [
      this.#account,
      source,
      new Date(now),
      new Date(now - WINDOW_MS),
    ])
    return rows[0]!.failures === FAILURES_ALLOWED
  }

  /** Whether the account was used from this address before; known once the attempt was found open. */
  get isKnown(): boolean {
    return this.#state?.known ?? false
  }

  /** Remembers the address of a successful login. */
  async succeeded(): Promise<void> {
    if (this.#state?.fresh) {
      return
    }
    await identityPool().query(
      `insert into identity_sign_in_sources (account, source, seen_at) values ($1, $2, $3)
       on conflict (account, source) do update set seen_at = excluded.seen_at`,
      [this.#account, this.#source, new Date(clock.now())]
    )
    await identityPool().query(
      `delete from identity_sign_in_sources where account = $1 and source in (
         select source from identity_sign_in_sources where account = $1
         order by seen_at desc offset ${MAX_SOURCES})`,
      [this.#account]
    )
  }
}
