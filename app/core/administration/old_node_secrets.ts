import type pg from 'pg'

import { oldSecrets } from '#core/clients/old_secrets'
import { clock } from '#kernel/clock'
import type { Credential } from './credential.js'

/** A secret of a node has no end: one that has been the same for a year is looked at. */
const OLD_MS = 365 * 86_400_000
const AT_MOST = 100

/** The nodes whose secrets nobody has replaced for long, the oldest first. */
export async function oldNodeSecrets(pool: pg.Pool): Promise<Credential[]> {
  const before = new Date(clock.now() - OLD_MS)
  const found = await oldSecrets(pool, { before, kinds: ['node'] })
  return found.slice(0, AT_MOST).map(({ id, name, since }) => ({
    type: 'nodeSecret',
    id,
    name,
    since,
    expiresAt: null,
    isRenewed: false,
  }))
}
