import { test } from '@japa/runner'
import pg from 'pg'

import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRadosgw } from '#tests/services/servers/radosgw'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { TestSandbox } from './test_sandbox.js'

test.group('A sandbox with real parts', (group) => {
  let servers: RealServer[] = []
  let variables: Record<string, string>

  group.setup(async () => {
    const starting = [startPostgres(), startRabbitmq(), startRedis(), startRadosgw()]
    servers = await Promise.all(starting)
    const [postgres, rabbitmq, redis, store] = servers.map(({ url }) => url)
    variables = {
      DATABASE_URL: postgres!,
      AMQP_URL: rabbitmq!,
      REDIS_URL: redis!,
      S3_FORCE_PATH_STYLE: 'true',
      ...s3VariablesFor(store!),
    }
    return async () => {
      await Promise.all(servers.map((server) => server.stop()))
    }
  })
  group.each.timeout(900_000)

  test('runs an analysis, and is found again in its database', async ({ assert, cleanup }) => {
    const sandbox = await TestSandbox.create(['--with-real-parts'], variables)
    cleanup(() => sandbox.remove())
    await sandbox.up()
    assert.match(await sandbox.run('mean'), /expected/)
    assert.equal(await countOf(variables.DATABASE_URL!, 'analyses'), 1)
    await sandbox.command('down')
    await sandbox.up()
    assert.include(await sandbox.command('status'), 'north')
    await sandbox.command('down')
  })

  test('names the servers that are missing', async ({ assert, cleanup }) => {
    const { REDIS_URL, ...others } = variables
    const sandbox = await TestSandbox.create([], others)
    cleanup(() => sandbox.remove())
    const call = ['sandbox', '--folder', sandbox.folder, 'up', '--with-real-parts']
    const { code, stderr } = await sandbox.machine.call(call, { env: others })
    assert.notEqual(code, 0)
    assert.include(stderr, 'REDIS_URL is missing')
  })
})

async function countOf(url: string, table: string): Promise<number> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${table}`)
    return Number(rows[0]!.count)
  } finally {
    await client.end()
  }
}
