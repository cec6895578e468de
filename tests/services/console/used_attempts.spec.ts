import { test } from '@japa/runner'

import { UsedAttempts } from '#console/sign_in/used_attempts'
import { clock } from '#kernel/clock'
import { connectRedis } from '#signals/redis'
import { startRedis } from '#tests/services/servers/redis'

test.group('Sign-ins of several consoles', () => {
  test('each is used once by all of them, and by each while Redis is away', async ({
    assert,
    cleanup,
  }) => {
    const server = await startRedis()
    cleanup(() => server.stop())
    const connections = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const connection = await connectRedis(server.url, () => {})
        cleanup(() => connection.disconnect())
        await new Promise<void>((resolve) => connection.once('ready', () => resolve()))
        return connection
      })
    )
    const consoles = connections.map((redis) => new UsedAttempts(redis))
    const attempt = { state: clock.uuid() }
    const answers = await Promise.all(consoles.map((one) => one.use(attempt)))
    assert.lengthOf(
      answers.filter((isFirst) => isFirst),
      1
    )
    assert.isFalse(await consoles[0]!.use(attempt))
    await server.kill()
    const later = { state: clock.uuid() }
    assert.isTrue(await consoles[1]!.use(later))
    assert.isFalse(await consoles[1]!.use(later))
  })
})
