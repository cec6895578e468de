import { identityPool } from './database.js'
import { SOURCE_KNOWN_MS } from '#identity/embedded/sign_in/sign_in_limit'
import { sweepInBatches } from '#jobs/sweep_in_batches'
import type { Sweep } from '#jobs/sweep'
import { clock } from '#kernel/clock'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const BATCH = 1_000

/** Tables with expiring rows, the column of their expiry, and how long they are retained after it. */
const EXPIRING_TABLES = [
  ['identity_token_sessions', 'expires_at', 0],
  ['identity_login_sessions', 'expires_at', 0],
  ['identity_revoked_tokens', 'expires_at', 0],
  // Reuse of a code is detected even after its expiry.
  ['identity_authorization_codes', 'expires_at', DAY_MS],
  ['identity_sign_in_failures', 'since', MINUTE_MS],
  ['identity_sign_in_sources', 'seen_at', SOURCE_KNOWN_MS],
] as const

/** Deletes expired sessions, codes and counters. */
export const identitySweep: Sweep = {
  name: 'identity',
  schedule: { everyMs: 10 * MINUTE_MS },
  async run(signal) {
    let removed = 0
    for (const [table, column, retentionMs] of EXPIRING_TABLES) {
      removed += await removeBefore(table, column, new Date(clock.now() - retentionMs), signal)
    }
    return removed
  },
}

function removeBefore(table: string, column: string, time: Date, signal: AbortSignal) {
  return sweepInBatches(BATCH, signal, async () => {
    const { rowCount } = await identityPool().query(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${column} < $1 limit ${BATCH}))`,
      [time]
    )
    return rowCount ?? 0
  })
}
