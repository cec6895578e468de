import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'
import type pg from 'pg'

import { DatabasePool } from '#database/database_pool'
import { IdentityUnavailable } from '#kernel/failures'
import { ClientIntents } from '#core/clients/client_intents'
import { ClientProvisioning } from '#core/clients/client_provisioning'
import type { ClientOwner } from '#auth/record_clients'
import { newClientSecret } from '#core/clients/client_secret'
import { CalledInTransaction, outsideTransactions } from '#auth/outside_transactions'
import { reconcileIntents } from '#core/clients/reconcile_intents'
import type { ClientDirectory, IdentityProvider } from '#auth/provider'
import { inTransaction } from '#records/transaction'
import { clock, overrideClock } from '#kernel/clock'
import { boot } from '#tests/helpers/application'

import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider, silent } from '#tests/unit/identity/subjects'

const MINUTE_MS = 60_000

let standIn: StandInProvider
let provider: IdentityProvider
let clients: ClientDirectory
let pool: DatabasePool
let intents: ClientIntents

const provisioning = (timeoutMs?: number) =>
  new ClientProvisioning({ provider, intents, logger: silent, timeoutMs })

/** Inserts the record and attaches its client in one transaction, as services do. */
const create = (
  record: ClientOwner,
  write: (transaction: pg.ClientBase, clientId: string) => Promise<unknown>,
  steps = provisioning()
) =>
  steps.withClient(record, ({ id: clientId, attach }) =>
    inTransaction(pool, async (transaction) => {
      await write(transaction, clientId)
      await attach(transaction)
      return clientId
    })
  )

const owner = () => ({ id: randomUUID(), realmId: standIn.realms.siteA.id })

async function count(table: string): Promise<number> {
  const { rows } = await pool.query(`select count(*)::int as n from ${table}`)
  return rows[0].n
}

const keep = (transaction: pg.ClientBase, id: string) =>
  transaction.query('insert into kept_records values ($1)', [id])

const exists = async (id: string) => {
  const { rowCount } = await pool.query('select 1 from kept_records where id = $1', [id])
  return rowCount === 1
}

const setUp = async () => {
  standIn = await StandInProvider.start()
  provider = outsideTransactions(externalProvider(standIn))
  clients = provider.clients!
  await clients.findByName('warm-up')
  return async () => {
    await standIn.goAway()
    await pool.query('truncate tasks, kept_records')
  }
}

const withTables = async () => {
  await boot()
  pool = new DatabasePool({ connectionString: process.env.DATABASE_URL, size: 5 })
  pool.on('error', () => {})
  await pool.query('create table kept_records (id uuid primary key)')
  intents = new ClientIntents(pool)
  return async () => {
    await pool.query('drop table kept_records')
    await pool.end()
  }
}

test.group('Records with clients', (group) => {
  group.setup(withTables)
  group.each.setup(setUp)

  test('records are created together with them', async ({ assert }) => {
    const record = owner()
    const clientId = await create(record, (transaction) => keep(transaction, record.id))
    const client = await clients.read(clientId)
    assert.containsSubset(client, { name: record.id, realmId: record.realmId })
    assert.isTrue(await exists(record.id))
    assert.equal(await count('tasks'), 0)
  })

  test('records are announced before their client is created', async ({ assert }) => {
    const record = owner()
    let announced = 0
    standIn.fail(async (request, answer) => {
      if (request.url === '/clients' && request.method === 'POST') {
        announced = await count('tasks')
      }
      return answer()
    })
    await provisioning().provide(record)
    assert.equal(announced, 1)
  })

  test('records do not exist, and neither does the client, if they cannot be inserted', async ({
    assert,
  }) => {
    const record = owner()
    const failure = new Error('the name is in use')
    const creation = create(record, async (transaction) => {
      await keep(transaction, record.id)
      throw failure
    })
    assert.strictEqual(await creation.catch((error) => error), failure)
    assert.isUndefined(await clients.findByName(record.id))
    assert.isFalse(await exists(record.id))
    assert.equal(await count('tasks'), 0)
  })

  test('respond with 503 and leave nothing if the provider is unavailable', async ({ assert }) => {
    const record = owner()
    await standIn.goAway()
    let isEntered = false
    const creation = create(record, async () => void (isEntered = true))
    const failure = await creation.catch((error) => error)
    assert.instanceOf(failure, IdentityUnavailable)
    assert.containsSubset(failure, { status: 503, code: 'identity_unavailable' })
    assert.isFalse(isEntered)
    assert.isFalse(await exists(record.id))
    await standIn.listen()
  })

  test('respond with 503 and the reason if the provider has no clients', async ({ assert }) => {
    const plain = {
      ...externalProvider(standIn),
      whenReady: async () => {},
      clients: undefined,
    } as unknown as IdentityProvider
    const unable = new ClientProvisioning({ provider: plain, intents, logger: silent })
    const failure = await unable.provide(owner()).catch((error) => error)
    assert.instanceOf(failure, IdentityUnavailable)
    assert.match(failure.message, /no client directory/)
    assert.equal(await count('tasks'), 0)
  })

  test('time out; a client created too late is removed later', async ({ assert, cleanup }) => {
    const record = owner()
    const timedOut = Promise.withResolvers<void>()
    const created = Promise.withResolvers<void>()
    standIn.fail(async (request, answer) => {
      if (request.method !== 'POST' || request.url !== '/clients') {
        return answer()
      }
      await timedOut.promise
      const reply = await answer()
      created.resolve()
      return reply
    })
    await assert.rejects(() => provisioning(100).provide(record), IdentityUnavailable)
    timedOut.resolve()
    await created.promise
    assert.isDefined(await clients.findByName(record.id))

    cleanup(overrideClock({ now: () => Date.now() + 11 * MINUTE_MS }))
    assert.equal(await reconcile(), 1)
    assert.isUndefined(await clients.findByName(record.id))
  })

  test('records reuse an existing client', async ({ assert }) => {
    const record = owner()
    const before = await clients.create({ name: record.id, realmId: record.realmId })
    assert.equal((await provisioning().provide(record)).id, before.id)
  })

  test('retain their client if the outcome of the transaction is unknown', async ({ assert }) => {
    const record = owner()
    const steps = provisioning()
    const work = steps.withClient(record, async () => {
      await pool.query('insert into kept_records values ($1)', [record.id])
      await intents.tasks.cancel(record.id)
      throw new Error('the connection broke at the commit, which went through')
    })
    await assert.rejects(() => work, /the connection broke/)
    assert.isDefined(await clients.findByName(record.id))
  })

  test('records cannot be inserted after their client was abandoned', async ({ assert }) => {
    const record = owner()
    const late = create(record, async (transaction) => {
      await keep(transaction, record.id)
      await intents.tasks.claimEarly(record.id)
    })
    await assert.rejects(() => late, /took too long/)
    assert.isFalse(await exists(record.id))
  })

  test('records leave a client to reconciliation if it cannot be removed at once', async ({
    assert,
  }) => {
    const record = owner()
    const failure = new Error('no')
    const creation = create(record, async () => {
      standIn.fail(() => ({ status: 500, body: '' }))
      throw failure
    })
    assert.strictEqual(await creation.catch((error) => error), failure)
    standIn.fail()
    assert.isDefined(await clients.findByName(record.id))
    assert.equal(await reconcile(), 1)
    assert.isUndefined(await clients.findByName(record.id))
    assert.equal(await count('tasks'), 0)
  })
})

const reconcile = (signal = new AbortController().signal) =>
  reconcileIntents({ provider, intents, hasRecord: exists }, signal)

test.group('Intents without a record', (group) => {
  group.setup(withTables)
  group.each.setup(setUp)

  test('intents are retained for ten minutes, then their clients are removed', async ({
    assert,
    cleanup,
  }) => {
    let passed = 0
    cleanup(overrideClock({ now: () => Date.now() + passed }))
    const record = owner()
    await provisioning().provide(record)
    passed = 9 * MINUTE_MS
    assert.equal(await reconcile(), 0)
    assert.isDefined(await clients.findByName(record.id))
    passed = 11 * MINUTE_MS
    assert.equal(await reconcile(), 1)
    assert.isUndefined(await clients.findByName(record.id))
    assert.equal(await count('tasks'), 0)
  })

  test('intents are deleted if they have no client', async ({ assert, cleanup }) => {
    await intents.write({ recordId: randomUUID(), realmId: randomUUID() })
    cleanup(overrideClock({ now: () => Date.now() + 11 * MINUTE_MS }))
    assert.equal(await reconcile(), 0)
    assert.equal(await count('tasks'), 0)
  })

  test('intents never remove the client of an existing record', async ({ assert, cleanup }) => {
    const record = owner()
    await provisioning().provide(record)
    await pool.query('insert into kept_records values ($1)', [record.id])
    cleanup(overrideClock({ now: () => Date.now() + 11 * MINUTE_MS }))
    assert.equal(await reconcile(), 0)
    assert.isDefined(await clients.findByName(record.id))
  })

  test('intents never remove a client of the same name in another realm', async ({
    assert,
    cleanup,
  }) => {
    const record = owner()
    await intents.write({ recordId: record.id, realmId: record.realmId })
    await clients.create({ name: record.id, realmId: standIn.realms.master.id })
    cleanup(overrideClock({ now: () => Date.now() + 11 * MINUTE_MS }))
    assert.equal(await reconcile(), 0)
    assert.isDefined(await clients.findByName(record.id))
  })

  test('intents are retried if the provider is unavailable', async ({ assert, cleanup }) => {
    await provisioning().provide(owner())
    cleanup(overrideClock({ now: () => Date.now() + 11 * MINUTE_MS }))
    await standIn.goAway()
    await assert.rejects(() => reconcile(), IdentityUnavailable)
    assert.equal(await count('tasks'), 1)
    await standIn.listen()
    assert.equal(await reconcile(), 1)
  })

  test('intents are skipped while a transaction uses them', async ({ assert, cleanup }) => {
    const record = owner()
    const steps = provisioning()
    await steps.withClient(record, ({ attach }) =>
      inTransaction(pool, async (transaction) => {
        await keep(transaction, record.id)
        await attach(transaction)
        cleanup(overrideClock({ now: () => Date.now() + 11 * MINUTE_MS }))
        assert.equal(await reconcile(), 0)
      })
    )
    assert.isTrue(await exists(record.id))
    assert.isDefined(await clients.findByName(record.id))
  })
})

test.group('The provider and transactions', (group) => {
  group.setup(withTables)
  group.each.setup(setUp)

  test('calls and transactions never overlap: a call within a transaction is rejected', async ({
    assert,
  }) => {
    const record = owner()
    const seen = standIn.seen.length
    const calls = [
      () => provider.introspect('x'),
      () => provider.ownToken(),
      () => provider.metadata(),
      () => provider.clients!.read('x'),
      () => provider.people!.realmIds(),
    ]
    await create(record, async (transaction) => {
      await keep(transaction, record.id)
      await nextTurn()
      for (const call of calls) {
        assert.throws(call, CalledInTransaction as never)
      }
    })
    const paths = standIn.seen.slice(seen).map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(paths, ['POST /clients'])
  })

  test('calls and transactions never overlap in any other transaction either', async ({
    assert,
  }) => {
    await inTransaction(pool, async (transaction) => {
      await transaction.query('select 1')
      assert.throws(() => provider.ownToken(), CalledInTransaction as never)
    })
    assert.isNotEmpty(await provider.ownToken())
  })

  test('a creation uses no connection while it waits for the provider', async ({ assert }) => {
    standIn.fail(async (_, answer) => {
      await pool.query('select 1')
      assert.equal(pool.idleCount, pool.totalCount)
      return answer()
    })
    const record = owner()
    await create(record, (transaction) => keep(transaction, record.id))
  })

  test('work started by a transaction may call the provider after it', async ({ assert }) => {
    const record = owner()
    const { promise: committed, resolve: onCommit } = Promise.withResolvers<void>()
    let later: Promise<unknown> | undefined
    await create(record, async (transaction) => {
      await keep(transaction, record.id)
      later = committed.then(() => provider.clients!.findByName(record.id))
    })
    onCommit()
    assert.isDefined(await later)
  })
})

test.group('Client secrets', () => {
  test('secrets are 256 random bits', ({ assert }) => {
    const secrets = new Set(Array.from({ length: 100 }, newClientSecret))
    assert.equal(secrets.size, 100)
    secrets.forEach((secret) => assert.match(secret, /^[0-9a-f]{64}$/))
  })

  test('secrets come from the one source of randomness', ({ assert, cleanup }) => {
    cleanup(overrideClock({ random: (bytes) => Buffer.alloc(bytes, 7) }))
    assert.equal(newClientSecret(), '07'.repeat(32))
    assert.lengthOf(clock.random(3), 3)
  })
})
