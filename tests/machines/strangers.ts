import { Redis } from 'ioredis'

import type { Finding } from '#tests/drills/report'
import { ask } from './ask.js'
import { ETCD_PORT } from './etcd.js'
import type { Installation } from './installation.js'
import { PATRONI_PORT } from './postgres_cluster.js'

/** Something that nobody may do without what the example gives to its own servers. */
interface Attempt {
  readonly what: string
  readonly make: () => Promise<unknown>
  readonly refusal: RegExp
}

/** Whether whoever reaches the ports of the example, and knows nothing, is refused. */
export async function refusalOfStrangers(installation: Installation): Promise<Finding> {
  const attempts = await attemptsAt(installation)
  const problems: string[] = []
  for (const { what, make, refusal } of attempts) {
    const outcome = await make().then(
      (answer) => JSON.stringify(answer),
      (error: Error) => String(error)
    )
    if (!refusal.test(outcome)) {
      problems.push(`${what}: ${outcome}`)
    }
  }
  return { what: `${attempts.length} attempts of strangers are refused`, problems }
}

async function attemptsAt({ servers, example }: Installation): Promise<Attempt[]> {
  const { postgres, etcd, redis } = servers
  const database = postgres.units[0]!.host
  const as = await example.identityOf(database)
  const account = `patroni:${await example.password('patroni')}`
  const patroni = `https://${database.name}:${PATRONI_PORT}/config`
  const change = { method: 'PATCH', body: { loop_wait: 2 } } as const
  const store = `https://${etcd.units[0]!.host.name}:${ETCD_PORT}/v3/kv/range`
  const read = { method: 'POST', body: { key: 'AA==', range_end: 'AA==' } } as const
  const cache = redis.units[0]!.host.name
  return [
    {
      what: 'a change of the settings of PostgreSQL with the password, and no certificate',
      make: () => ask(patroni, { ...change, account }),
      refusal: /"status":403/,
    },
    {
      what: 'a change of the settings of PostgreSQL with a certificate, and no password',
      make: () => ask(patroni, { ...change, as }),
      refusal: /"status":401/,
    },
    {
      what: 'reading etcd without a certificate',
      make: () => ask(store, read),
      refusal: /alert/,
    },
    {
      what: 'reading etcd with a certificate, and no password',
      make: () => ask(store, { ...read, as }),
      refusal: /permission denied/,
    },
    ...[6_379, 26_379].map((port) => ({
      what: `a command to port ${port} of Redis without a password`,
      make: () => commandAt(`redis://${cache}:${port}`),
      refusal: /NOAUTH/,
    })),
  ]
}

async function commandAt(url: string): Promise<unknown> {
  const client = new Redis(url, { retryStrategy: null, enableReadyCheck: false })
  client.on('error', () => {})
  try {
    return await client.call('info')
  } finally {
    client.disconnect()
  }
}
