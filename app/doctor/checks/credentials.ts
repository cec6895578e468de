import { oldSecrets } from '#core/clients/old_secrets'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import type { CheckContext } from '#doctor/check_context'
import { SIGNING_KEY_MS } from '#identity/embedded/tokens/lifetimes'
import { clock } from '#kernel/clock'

const DAY_MS = 86_400_000
const OLD_MS = 365 * DAY_MS
const NAMED_AT_MOST = 5

/** Checks the age of secrets and of token signing keys. */
export const credentialsCheck: Check = {
  name: 'credentials',
  async run(context) {
    if (context.databases.length === 0) {
      return NOT_USED
    }
    return [...(await checkSecrets(context)), ...(await checkSigningKeys(context))]
  },
}

async function checkSecrets(context: CheckContext): Promise<Finding[]> {
  const { pool } = context.databaseOf('core') ?? {}
  if (!pool) {
    return []
  }
  const before = new Date(clock.now() - OLD_MS)
  const old = await oldSecrets(pool, { before, kinds: ['node', 'analysis'] })
  const named = old.slice(0, NAMED_AT_MOST).map(({ kind, id }) => `${kind} ${id}`)
  const rest = old.length - named.length
  const details = `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return old.length > 0 ? [finding('CREDENTIALS_OLD', details)] : []
}

/** The provider creates the next key with the first token after the last expired, so without logins there is none. */
async function checkSigningKeys(context: CheckContext): Promise<Finding[]> {
  const { pool } = context.databaseOf('identity') ?? {}
  if (!pool) {
    return []
  }
  const { rows } = await pool.query<{ newest: Date | null }>(
    'select max(created_at) as newest from identity_signing_keys'
  )
  const newest = rows[0]?.newest?.getTime()
  const isExpired = newest !== undefined && newest + SIGNING_KEY_MS <= clock.now()
  return isExpired
    ? [
        finding(
          'CREDENTIALS_ENDING',
          `expired on ${new Date(newest + SIGNING_KEY_MS).toISOString()}`
        ),
      ]
    : []
}
