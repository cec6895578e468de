import { setTimeout as delay } from 'node:timers/promises'

import { NOT_USED, type Check } from '#doctor/check'
import type { Database } from '#doctor/check_context'
import { withEachHost, type ConnectedHost, type HostFailure } from '#doctor/each_host'
import { finding, type Finding } from '#doctor/finding'

/** How long a standby may take to have what the primary had at the time of the check. */
const CATCH_UP_MS = 5_000
const LOOK_AGAIN_MS = 250
const MIB = 1_048_576

const STATE = `select pg_is_in_recovery() as "isStandby",
  current_setting('synchronous_standby_names') <> '' as "isSynchronous"`

const LAG = `select exists (select 1 from pg_stat_wal_receiver) as "isReceiving",
  pg_wal_lsn_diff($1::pg_lsn, coalesce(pg_last_wal_replay_lsn(), '0/0'))::float8 as behind`

interface HostState extends ConnectedHost {
  readonly isStandby: boolean
  readonly isSynchronous: boolean
}

interface Lag {
  readonly isReceiving: boolean
  /** In bytes. */
  readonly behind: number
}

/** Checks of each database with several hosts that one of them accepts writes and the others follow it. */
export const databaseHostsCheck: Check = {
  name: 'database hosts',
  async run({ databases }) {
    const replicated = databases.filter(({ hosts }) => hosts.length > 1)
    if (replicated.length === 0) {
      return NOT_USED
    }
    const found = await Promise.all(replicated.map((database) => checkHosts(database)))
    return found.flat()
  },
}

function checkHosts(database: Database): Promise<Finding[]> {
  return withEachHost(database, async (connected, failures) => {
    const hosts = await Promise.all(connected.map(stateOf))
    const primaries = hosts.filter(({ isStandby }) => !isStandby)
    return [
      ...awayFindings(failures),
      ...(primaries.length === 1
        ? await followFindings(primaries[0]!, hosts)
        : leaderFindings(database, hosts, primaries)),
    ]
  })
}

async function stateOf(host: ConnectedHost): Promise<HostState> {
  const { rows } = await host.client.query<{ isStandby: boolean; isSynchronous: boolean }>(STATE)
  return { ...host, ...rows[0]! }
}

const awayFindings = (failures: readonly HostFailure[]): Finding[] =>
  failures.map(({ name, reason }) => finding('DATABASE_HOST_AWAY', `${name}, ${reason}`))

/** That nothing responds is reported by the check of the database. */
function leaderFindings(
  { name }: Database,
  hosts: readonly HostState[],
  primaries: readonly HostState[]
): Finding[] {
  if (primaries.length > 0) {
    return [finding('DATABASE_PRIMARIES', primaries.map((primary) => primary.name).join(', '))]
  }
  return hosts.length > 0 ? [finding('DATABASE_WITHOUT_PRIMARY', `that of ${name}`)] : []
}

async function followFindings(primary: HostState, hosts: readonly HostState[]): Promise<Finding[]> {
  const { rows } = await primary.client.query<{ position: string }>(
    'select pg_current_wal_lsn()::text as position'
  )
  const standbys = hosts.filter(({ isStandby }) => isStandby)
  const behind = await Promise.all(
    standbys.map((standby) => behindFindings(standby, rows[0]!.position))
  )
  return [
    ...(primary.isSynchronous ? [] : [finding('DATABASE_ASYNCHRONOUS', primary.name)]),
    ...behind.flat(),
  ]
}

async function behindFindings({ name, client }: HostState, position: string): Promise<Finding[]> {
  const { isReceiving, behind } = await caughtUp(client, position)
  if (!isReceiving) {
    return [finding('DATABASE_STANDBY_BEHIND', `${name} receives nothing`)]
  }
  return behind > 0
    ? [finding('DATABASE_STANDBY_BEHIND', `${name} by ${(behind / MIB).toFixed(1)} MiB`)]
    : []
}

/** The lag as soon as there is none, or when the time is over. */
async function caughtUp(client: ConnectedHost['client'], position: string): Promise<Lag> {
  const end = performance.now() + CATCH_UP_MS
  for (;;) {
    const { rows } = await client.query<Lag>(LAG, [position])
    const lag = rows[0]!
    if ((lag.isReceiving && lag.behind <= 0) || performance.now() >= end) {
      return lag
    }
    await delay(LOOK_AGAIN_MS)
  }
}
