import pg from 'pg'

import type { DatabaseHost } from '#database/primary_watch'
import { hostText } from '#kernel/host_resolver'
import { reasonOf } from './reason.js'
import type { Database } from './check_context.js'

const CONNECT_MS = 5_000
const STATEMENT_MS = 10_000

/** A host of a database, and a connection to it. */
export interface ConnectedHost {
  /** For messages. */
  readonly name: string
  readonly client: pg.Client
}

export interface HostFailure {
  readonly name: string
  readonly reason: string
}

/** Connects to all hosts of a database at once, and ends the connections after the work. */
export async function withEachHost<T>(
  { name, hosts }: Database,
  work: (hosts: ConnectedHost[], failures: HostFailure[]) => Promise<T>
): Promise<T> {
  const nameOf = ({ address }: DatabaseHost) =>
    hosts.length > 1 ? `${hostText(address)} (${name})` : name
  const attempts = await Promise.all(hosts.map((host) => connectTo(host.url, nameOf(host))))
  const connected = attempts.filter((attempt) => 'client' in attempt)
  const failures = attempts.filter((attempt) => 'reason' in attempt)
  try {
    return await work(connected, failures)
  } finally {
    await Promise.all(connected.map(({ client }) => client.end().catch(() => {})))
  }
}

async function connectTo(url: string, name: string): Promise<ConnectedHost | HostFailure> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    application_name: 'analysis-hub doctor',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return { name, client }
  } catch (error) {
    return { name, reason: reasonOf(error) }
  }
}
