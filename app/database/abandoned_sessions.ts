import type pg from 'pg'

/**
 * What ends a session whose client went away without a word, and with it its transaction and its locks, which the next
 * writer of the same rows waits for: its host that does not respond any more, or a process that stands still.
 */
const LIMITS = [
  'tcp_keepalives_idle=2',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=5000',
  'idle_in_transaction_session_timeout=30000',
]
const OPTIONS = LIMITS.map((limit) => `-c ${limit}`).join(' ')

/** What a client sends when it connects. */
interface StartupParameters {
  readonly connectionParameters: { options?: string }
}

/** Sends the limits when the client connects. Those in the address of the database count more. */
export function limitAbandonedSession(client: pg.Client): void {
  const { connectionParameters } = client as unknown as StartupParameters
  const { options } = connectionParameters
  connectionParameters.options = options ? `${OPTIONS} ${options}` : OPTIONS
}
