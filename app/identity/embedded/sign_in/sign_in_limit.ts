import { hash } from 'node:crypto'

import type pg from 'pg'

import { identityPool } from '#identity/embedded/database'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'
import { TooManyFailures } from './too_many_failures.js'
import { OneByOne } from './one_by_one.js'

const FAILURES_ALLOWED = 10
const WINDOW_MS = 60_000

/** Everybody whose address never signed in to the account shares one count. */
const STRANGERS = 'strangers'

/** How long an address that signed in stays known, and how often that is noted anew. */
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
    and f.source = case when exists (select 1 from source) then $2 else '${STRANGERS}' end`

const COUNT = `
  insert into identity_sign_in_failures as f (account, source, failures, since)
  values ($1, $2, 1, $3)
  on conflict (account, source) do update set
    failures = case when f.since > $4 then f.failures + 1 else 1 end,
    since = case when f.since > $4 then f.since else excluded.since end
  returning failures`

/** Within this process they wait for each other here, so that they take no connections while they do. */
const comparisons = new OneByOne()

/**
 * One attempt to sign in to an account. Ten wrong secrets within a minute close the account to further ones until the
 * minute is over. Addresses that signed in to it before are counted each on their own, so that strangers close it only to
 * strangers.
 */
export class SignInAttempt {
  readonly #account: string
  readonly #source: string
  #state: AttemptState | undefined

  /** `account` is anything that names it; only a digest of it is kept. */
  constructor(account: string, address: string) {
    this.#account = hash('sha256', account)
    this.#source = hash('sha256', `${account} ${address}`)
  }

  /**
   * Compares a secret while nobody else compares one for the same account, in any process, so that many attempts at once are
   * no more than one after the other. Answers whether it failed, and then whether that was the last time allowed.
   */
  async compareExclusively(
    compare: () => Promise<boolean>
  ): Promise<{ readonly isLast: boolean } | undefined> {
    const compareLocked = async () =>
      inTransaction(identityPool(), async (transaction) => {
        await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
          this.#account,
        ])
        await this.requireOpen(transaction)
        return (await compare()) ? { isLast: await this.failed(transaction) } : undefined
      })
    return comparisons.take(this.#account, compareLocked)
  }

  /** Throws where the account is closed to this attempt. */
  async requireOpen(runner: pg.Pool | pg.ClientBase = identityPool()): Promise<void> {
    const now = clock.now()
    const { rows } = await runner.query<AttemptState>({
      name: 'sign-in-standing',
      text: ATTEMPT_STATE,
      values: [
        this.#account,
        this.#source,
        new Date(now - SOURCE_KNOWN_MS),
        new Date(now - SOURCE_UPDATE_MS),
        new Date(now - WINDOW_MS),
      ],
    })
    this.#state = rows[0]!
    const { failures, since } = this.#state
    if (failures !== null && failures >= FAILURES_ALLOWED) {
      throw new TooManyFailures(since!.getTime() + WINDOW_MS - now)
    }
  }

  /** Counts a wrong secret. Answers whether it was the last one allowed. */
  async failed(runner: pg.Pool | pg.ClientBase = identityPool()): Promise<boolean> {
    const now = clock.now()
    const source = this.#state?.known ? this.#source : STRANGERS
    const { rows } = await runner.query<{ failures: number }>(COUNT, [
      this.#account,
      source,
      new Date(now),
      new Date(now - WINDOW_MS),
    ])
    return rows[0]!.failures === FAILURES_ALLOWED
  }

  /** Notes that the address belongs to the account. */
  async succeeded(): Promise<void> {
    if (this.#state?.fresh) {
      return
    }
    await identityPool().query(
      `insert into identity_sign_in_sources (account, source, seen_at) values ($1, $2, $3)
       on conflict (account, source) do update set seen_at = excluded.seen_at`,
      [this.#account, this.#source, new Date(clock.now())]
    )
  }
}
