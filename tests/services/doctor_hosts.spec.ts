import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'
import { connect } from 'amqplib'
import { Redis } from 'ioredis'

import { SINGLE_ACTIVE_CONSUMER } from '#bus/amqp/subscription'
import { COMMAND_QUEUES } from '#bus/names'
import { brokerHostsCheck } from '#doctor/checks/broker_hosts'
import { clockCheck } from '#doctor/checks/clock'
import { databaseHostsCheck } from '#doctor/checks/database_hosts'
import { sentinelsCheck } from '#doctor/checks/sentinels'
import { examined, found } from '#tests/helpers/doctor'
import { eventually } from '#tests/helpers/eventually'
import { promote, runOn, startPostgres, startStandby } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis, startReplica, startSentinels } from '#tests/services/servers/redis'

/** Where nobody listens. */
const NOBODY = '127.0.0.1:1'

const hostsOf = (...servers: RealServer[]) => servers.map(({ url }) => new URL(url).host)

test.group('The doctor | several hosts of PostgreSQL', () => {
  test('a standby that follows, one that does not, one that is away, and two primaries', async ({
    assert,
    cleanup,
  }) => {
    const primary = await startPostgres()
    cleanup(() => primary.stop())
    const standby = await startStandby(primary)
    cleanup(() => standby.stop())
    const { password } = new URL(primary.url)
    const addressOf = (hosts: string[]) => `postgres://hub:${password}@${hosts.join()}/postgres`
    const examine = (hosts: string[]) =>
      examined({ url: addressOf(hosts), checks: [databaseHostsCheck, clockCheck] })
    const codesOf = async (hosts: string[]) =>
      (await examine(hosts)).findings.map(({ code }) => code).toSorted()
    const both = hostsOf(standby, primary)

    assert.deepEqual(await codesOf(both), ['DATABASE_ASYNCHRONOUS'])
    await runOn(primary, `alter system set synchronous_standby_names = '*'`)
    await runOn(primary, 'select pg_reload_conf()')
    await eventually(async () => (await codesOf(both)).length === 0)

    const { findings } = await examine([...both, NOBODY])
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['DATABASE_HOST_AWAY']
    )
    assert.include(findings[0]!.message, NOBODY)
    assert.notInclude(JSON.stringify(findings), password)
    assert.deepEqual(await codesOf([...hostsOf(standby), NOBODY]), [
      'DATABASE_HOST_AWAY',
      'DATABASE_WITHOUT_PRIMARY',
    ])

    await runOn(standby, 'select pg_wal_replay_pause()')
    await runOn(primary, 'create table notes (text text)')
    assert.deepEqual(await codesOf(both), ['DATABASE_STANDBY_BEHIND'])
    await runOn(standby, 'select pg_wal_replay_resume()')
    await eventually(async () => (await codesOf(both)).length === 0)
    await runOn(standby, `alter system set primary_conninfo = ''`)
    await runOn(standby, 'select pg_reload_conf()')
    await eventually(async () => (await codesOf(both)).includes('DATABASE_STANDBY_BEHIND'))

    await promote(standby)
    assert.deepEqual(await codesOf(both), ['DATABASE_PRIMARIES'])
  })

  test('an address with one host has no such check', async ({ assert }) => {
    const report = await examined({
      checks: [databaseHostsCheck, brokerHostsCheck, sentinelsCheck],
    })
    assert.deepEqual(
      report.checks.map(({ state }) => state),
      ['not used', 'not used', 'not used']
    )
  })
})

test.group('The doctor | several hosts of RabbitMQ', () => {
  test('hosts of one cluster or not, queues that are replicated or not', async ({
    assert,
    cleanup,
  }) => {
    const password = randomBytes(24).toString('hex')
    const start = async (name: string) => {
      const server = await startRabbitmq({ password, settings: [`cluster_name = ${name}`] })
      cleanup(() => server.stop())
      return server
    }
    const [one, other] = await Promise.all([start('one'), start('other')])
    const events = 'core.events-of-the-doctor'
    const codesOf = (hosts: string[]) =>
      found({
        checks: [brokerHostsCheck],
        env: { AMQP_URL: `amqp://hub:${password}@${hosts.join()}` },
        queues: [events],
      })
    const twice = [...hostsOf(one), ...hostsOf(one)]

    assert.deepEqual(await codesOf(twice), [])
    assert.deepEqual(await codesOf([...hostsOf(one, other), NOBODY]), [
      'BROKER_CLUSTERS',
      'BROKER_HOST_AWAY',
    ])

    const connection = await connect(one.url)
    const channel = await connection.createChannel()
    const quorum = { 'x-queue-type': 'quorum' }
    await channel.assertQueue(COMMAND_QUEUES.registry, { arguments: quorum })
    await channel.assertQueue(events, { arguments: { ...SINGLE_ACTIVE_CONSUMER, ...quorum } })
    assert.deepEqual(await codesOf(twice), [])
    await channel.deleteQueue(events)
    await channel.assertQueue(events, { arguments: SINGLE_ACTIVE_CONSUMER })
    assert.deepEqual(await codesOf(twice), ['BROKER_QUEUE_CLASSIC'])
    await channel.deleteQueue(events)
    await channel.assertQueue(COMMAND_QUEUES.analysisBuilder)
    assert.deepEqual(await codesOf(twice), ['BROKER_QUEUE_CLASSIC'])
    await connection.close()
  })
})

test.group('The doctor | sentinels of Redis', () => {
  test('a replica and sentinels that agree, and what is away', async ({ assert, cleanup }) => {
    const master = await startRedis()
    cleanup(() => master.stop())
    const replica = await startReplica(master)
    cleanup(() => replica.stop())
    const sentinels = await startSentinels(master)
    cleanup(() => Promise.all(sentinels.map((sentinel) => sentinel.stop())).then(() => {}))
    const { password } = new URL(master.url)
    const codesOf = (hosts: string[], name = 'hub') =>
      found({
        checks: [sentinelsCheck],
        env: { REDIS_URL: `redis+sentinel://:${password}@${hosts.join()}/${name}` },
      })
    const all = hostsOf(...sentinels)

    assert.deepEqual(await codesOf(all), [])
    assert.deepEqual(await codesOf([...all, NOBODY]), ['REDIS_SENTINEL_AWAY'])
    assert.deepEqual(await codesOf(all, 'another'), ['REDIS_SENTINEL_AWAY'])

    await replica.kill()
    await eventually(async () => (await codesOf(all)).includes('REDIS_WITHOUT_REPLICA'))
    await forget(sentinels[2]!, master)
    assert.include(await codesOf(all), 'REDIS_MASTERS')
    await Promise.all(sentinels.slice(1).map((sentinel) => sentinel.kill()))
    await eventually(async () => (await codesOf(all.slice(0, 1))).includes('REDIS_WITHOUT_QUORUM'))
  })
})

/** Makes a sentinel monitor another server under the same name. */
async function forget(sentinel: RealServer, master: RealServer): Promise<void> {
  const client = new Redis(sentinel.url)
  const { port } = new URL(master.url)
  await client.call('sentinel', 'remove', 'hub')
  await client.call('sentinel', 'monitor', 'hub', '127.0.0.2', port, '2')
  client.disconnect()
}
