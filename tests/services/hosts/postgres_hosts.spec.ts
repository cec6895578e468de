import { test } from '@japa/runner'

import { DatabaseClient } from '#database/database_client'
import { DatabasePool } from '#database/database_pool'
import { Pools } from '#database/pools'
import { hostText } from '#kernel/host_resolver'
import { CountingProxy } from '#tests/helpers/hosts/counting_proxy'
import { hostsSuite } from '#tests/helpers/hosts/hosts_suite'
import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { Researcher } from '#tests/helpers/worker/researcher'
import {
  demote,
  promote,
  runOn,
  startPostgres,
  startStandby,
} from '#tests/services/servers/postgres'
import type { RealServer } from '#tests/services/servers/real_server'

/** What a hub has open all the time: pools, a listener, the relay, and the watch of the primary. */
const LASTING = [
  'analysis-hub',
  'analysis-hub identity access',
  'analysis-hub outbox',
  'analysis-hub primary',
]

/** A primary, and a standby without which nothing is committed. */
async function startBoth() {
  const primary = await startPostgres()
  const standby = await startStandby(primary)
  await runOn(primary, `alter system set synchronous_standby_names = '*'`)
  await runOn(primary, 'select pg_reload_conf()')
  return [primary, standby] as const
}

/** The standby comes first, so that the order of the address says nothing. */
function addressOf([primary, standby]: readonly [number, number], password: string): string {
  const hosts = [standby, primary].map((port) => `127.0.0.1:${port}`).join()
  return `postgres://hub:${password}@${hosts}/postgres?target_session_attrs=read-write`
}

hostsSuite('PostgreSQL', async () => {
  const servers = await startBoth()
  const [primary, standby] = servers
  await runOn(primary, 'create table notes (text text)')
  const { password } = new URL(primary.url)
  const proxies = await Promise.all(servers.map(({ url }) => CountingProxy.to(portOf(url))))
  const [first, second] = proxies.map(({ port }) => port)
  const connection = new Pools().connectionTo(addressOf([first!, second!], password))
  const pool = new DatabasePool({ ...connection, size: 10 })
  pool.on('error', () => {})
  return {
    resolver: connection.resolver!,
    proxies,
    password,
    async write() {
      await pool.query(`insert into notes values ('written')`)
      await pool.read({ text: 'select count(*) from notes' })
    },
    async failOver() {
      await primary.kill()
      await promote(standby)
    },
    async stop() {
      await pool.end()
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
})

test.group('PostgreSQL with a standby', () => {
  test('a hub reads, writes and listens at the new primary, and not at the old one', async ({
    assert,
    cleanup,
  }) => {
    const [first, second] = await startBoth()
    cleanup(() => Promise.all([first.stop(), second.stop()]).then(() => {}))
    const { password } = new URL(first.url)
    const address = addressOf([portOf(first.url), portOf(second.url)], password)
    const hub = await HubProcesses.start('server', { variables: { DATABASE_URL: address } })
    cleanup(() => hub.remove())
    const researcher = await Researcher.at(hub.origin)
    const written: string[] = []
    const create = async () => {
      const { id } = await researcher.core('POST', '/projects', { name: `study-${written.length}` })
      written.push(id)
      return true
    }
    await create()
    assert.includeMembers(await sessionsAt(first), LASTING)

    await first.kill()
    await promote(second)
    await eventually(() => create().catch(() => false))
    await eventually(async () => {
      const now = await sessionsAt(second)
      return LASTING.every((name) => now.includes(name))
    })
    for (const id of written) {
      assert.equal((await researcher.core('GET', `/projects/${id}`)).id, id)
    }

    await demote(first)
    await first.restart()
    await create()
    assert.deepEqual(await sessionsAt(first), [])
    assert.notInclude(hub.output, password)
    assert.include(hub.output, 'the primary of the database is another host now')
  })

  test('a primary that becomes read-only is left when another one accepts writes', async ({
    assert,
    cleanup,
  }) => {
    const [first, second] = await startBoth()
    cleanup(() => Promise.all([first.stop(), second.stop()]).then(() => {}))
    await runOn(first, 'create table notes (text text)')
    const { password } = new URL(first.url)
    const { resolver, ...connection } = new Pools().connectionTo(
      addressOf([portOf(first.url), portOf(second.url)], password)
    )
    const pool = new DatabasePool({ ...connection, resolver: resolver!, size: 4 })
    pool.on('error', () => {})
    cleanup(() => pool.end())
    const write = () => pool.query(`insert into notes values ('written')`)
    await write()

    await runOn(first, 'alter system set default_transaction_read_only = on')
    await runOn(first, 'select pg_reload_conf()')
    await eventually(() =>
      write().then(
        () => false,
        () => true
      )
    )
    await promote(second)
    await eventually(() =>
      write().then(
        () => true,
        () => false
      )
    )
    assert.equal(hostText(resolver!.current!), `127.0.0.1:${portOf(second.url)}`)
    const client = new DatabaseClient({ ...connection, resolver: resolver! })
    await client.connect()
    cleanup(() => client.end())
    const { rows } = await client.query('select count(*)::int as count from notes')
    assert.equal(rows[0].count, 2)
  })
})

const portOf = (url: string): number => Number(new URL(url).port)

/** The names under which the hub is connected. */
async function sessionsAt(server: RealServer): Promise<string[]> {
  const { rows } = await runOn(
    server,
    `select distinct application_name as name from pg_stat_activity
      where application_name like 'analysis-hub%' order by name`
  )
  return rows.map(({ name }) => name)
}
