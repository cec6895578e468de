import { once } from 'node:events'
import { Agent, request } from 'node:http'

import { test } from '@japa/runner'

import { at } from '#tests/helpers/application'

const REQUESTS = 30

test.group('Listeners of a keep-alive connection', () => {
  test('accumulates nothing of requests that are rejected before their body is read', async ({
    assert,
    cleanup,
  }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    cleanup(() => agent.destroy())
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    cleanup(() => void process.off('warning', note))
    const ports = new Set<number | undefined>()
    for (let n = 0; n < REQUESTS; n++) {
      const requested = request(at('core', '/nodes'), { method: 'POST', agent })
      requested.setHeader('content-type', 'application/json')
      requested.write('{"name":')
      requested.flushHeaders()
      const [response] = await once(requested, 'response')
      assert.equal(response.statusCode, 401)
      ports.add(requested.socket!.localPort)
      requested.end('"x"}')
      response.resume()
      await once(response, 'end')
    }
    assert.equal(ports.size, 1)
    assert.isEmpty(warnings)
  })
})
