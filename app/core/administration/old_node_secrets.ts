import type pg from 'pg'

import { oldSecrets } from '#core/clients/old_secrets'
import { clock } from '#kernel/clock'
import type { Credential } from './credential.js'

/** Secrets of nodes do not expire, so those older than a year are reported. */
const MAX_AGE_MS = 365 * 86_400_000
const LIMIT = 100

/** Finds the nodes with old secrets, the oldest first. */
export async function findOldNodeSecrets(pool: pg.Pool): Promise<Credential[]> {
  const before = new Date(clock.now() - MAX_AGE_MS)
  const secrets = await oldSecrets(pool, { before, kinds: ['node'] })
  return secrets.slice(0, LIMIT).map(({ id, name, since }) => ({
    type: 'nodeSecret',
    id,
    name,
    since,
    expiresAt: null,
    isRenewed: false,
  }))
}
