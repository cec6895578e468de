import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

import { test } from '@japa/runner'

import { DEFAULT_PORT, startProgram } from './program.js'

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

const OTHER_PORT = 3001

test.group('Interface: configuration', () => {
  const ports =
    test('What the service does / Configuration row 8: messenger listens on PORT, else on 3000', async ({
      assert,
      cleanup,
    }) => {
      async function assertListens(port: number, variables: Record<string, string | undefined>) {
        const program = await startProgram({ SURFACES: 'messenger', HOST, ...variables })
        cleanup(() => program.stop())
        const response = await fetch(`http://${HOST}:${port}/`)
        assert.equal(response.status, 200)
        assert.sameMembers(Object.keys((await response.json()) as object), ['version', 'timestamp'])
      }
      await Promise.all([
        assertListens(DEFAULT_PORT, { PORT: undefined, ADMIN_PORT: undefined }),
        assertListens(OTHER_PORT, { PORT: String(OTHER_PORT) }),
      ])
    })
  ports.skip(
    async () => (await isTaken(DEFAULT_PORT)) || (await isTaken(OTHER_PORT)),
    'ports 3000 and 3001 are not both free'
  )
})
