import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

import { test } from '@japa/runner'

import { DEFAULT_PORT, startProgram } from '#tests/acceptance/interface/program'

/** A loopback address of its own, so that a fixed port is free on it whatever else runs on this machine. */
const HOST = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(2, 255)}`

async function isTaken(port: number): Promise<boolean> {
  const probe = createServer().listen(port, HOST)
  try {
    await once(probe, 'listening')
    return false
  } catch {
    return true
  } finally {
    probe.close()
  }
}

test.group('Interface: configuration', () => {
  const ports = test('What the service does / Configuration row 8: messenger listens on PORT, else on 3000', async ({
    assert,
    cleanup,
  }) => {
    for (const variables of [{ PORT: undefined, ADMIN_PORT: undefined }, { PORT: '3001' }]) {
      const program = await startProgram({ SURFACES: 'messenger', HOST, ...variables })
      cleanup(() => program.stop())
      const expected = variables.PORT ?? String(DEFAULT_PORT)
      const response = await fetch(`http://${HOST}:${expected}/`)
      assert.equal(response.status, 200)
      assert.sameMembers(Object.keys((await response.json()) as object), ['version', 'timestamp'])
    }
  })
  ports.skip(
    async () => (await isTaken(DEFAULT_PORT)) || (await isTaken(3001)),
    'ports 3000 and 3001 are taken on all addresses'
  )
})
