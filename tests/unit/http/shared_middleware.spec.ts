import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { AppFactory } from '@adonisjs/core/factories/app'
import { ServerFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { shareMiddleware } from '#http/shared_middleware'

type Next = () => Promise<void>

let passed: string[] = []
let made = 0

class First {
  constructor() {
    made++
  }

  async handle(_: HttpContext, next: Next) {
    passed.push('first in')
    await next()
    passed.push('first out')
  }
}

class Closed {
  async handle({ response }: HttpContext) {
    response.status(418)
  }
}

/** Throws before there is a promise, as a middleware that is not async does. */
class Failing {
  handle(): Promise<void> {
    throw Object.assign(new Error('No entry'), { status: 403 })
  }
}

class Named {
  async handle(_: HttpContext, next: Next, options: { what: string }) {
    passed.push(`named ${options.what}`)
    await next()
  }
}

const importOf = (Middleware: any) => async () => ({ default: Middleware })

/** The statuses of requests, one after the other, to a server whose one page is `/page`. */
async function statusesWith(listed: readonly unknown[], requests = 1): Promise<number[]> {
  const app = new AppFactory().create(new URL('../../../', import.meta.url)) as any
  await app.init()
  const server = new ServerFactory().merge({ app, config: { useAsyncLocalStorage: true } }).create()
  server.use(listed.map(importOf))
  const router = server.getRouter()
  const named = router.named({ named: importOf(Named) })
  router.get('/page', () => void passed.push('page')).use([named.named({ what: 'one' })])
  await server.boot()
  await shareMiddleware(server, app.container)
  const listener = createServer((...request) => server.handle(...request)).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const statuses: number[] = []
  try {
    for (let sent = 0; sent < requests; sent++) {
      const { status } = await fetch(`http://127.0.0.1:${port}/page`)
      statuses.push(status)
    }
  } finally {
    listener.close()
    listener.closeAllConnections()
  }
  return statuses
}

test.group('The middleware of start/kernel.ts', (group) => {
  group.each.setup(() => {
    passed = []
    made = 0
  })

  test('the middleware runs around each request and is made once', async ({ assert }) => {
    assert.deepEqual(await statusesWith([First], 2), [200, 200])
    const request = ['first in', 'named one', 'page', 'first out']
    assert.deepEqual(passed, [...request, ...request])
    assert.equal(made, 1)
  })

  test('the middleware can respond itself, which ends the chain', async ({ assert }) => {
    assert.deepEqual(await statusesWith([Closed, First]), [418])
    assert.deepEqual(passed, [])
  })

  test('the middleware can fail, which the error handler answers', async ({ assert }) => {
    assert.deepEqual(await statusesWith([First, Failing]), [403])
    assert.deepEqual(passed, ['first in', 'first out'])
  })
})
