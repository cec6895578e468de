import { AppFactory } from '@adonisjs/core/factories/app'
import { HttpContextFactory, ServerFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { composeRouteMiddleware, composeServerMiddleware } from '#http/pipeline'

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

class Named {
  async handle(_: HttpContext, next: Next, options: { what: string }) {
    passed.push(`named ${options.what}`)
    await next()
  }
}

const last = async () => void passed.push('last')
const importOf = (Middleware: any) => async () => ({ default: Middleware })

async function prepared() {
  const app = new AppFactory().create(new URL('../../../', import.meta.url)) as any
  await app.init()
  const server = new ServerFactory().merge({ app }).create()
  return { app, server, router: server.getRouter() }
}

test.group('The middleware of start/kernel.ts', (group) => {
  group.each.setup(() => {
    passed = []
    made = 0
  })

  test('wraps the last step and is instantiated once', async ({ assert }) => {
    const { app, server } = await prepared()
    server.use([importOf(First)])
    await server.boot()
    const step = await composeServerMiddleware(app, server, last)
    await step(new HttpContextFactory().create())
    await step(new HttpContextFactory().create())
    assert.deepEqual(passed, ['first in', 'last', 'first out', 'first in', 'last', 'first out'])
    assert.equal(made, 1)
  })

  test('can respond itself, which ends the chain', async ({ assert }) => {
    const { app, server } = await prepared()
    server.use([importOf(Closed), importOf(First)])
    await server.boot()
    const ctx = new HttpContextFactory().create()
    await (
      await composeServerMiddleware(app, server, last)
    )(ctx)
    assert.equal(ctx.response.getStatus(), 418)
    assert.deepEqual(passed, [])
  })

  test('of the router and of a route runs in front of its handler, with what it was given', async ({
    assert,
  }) => {
    const { server, router } = await prepared()
    router.use([importOf(First)])
    const named = router.named({ named: importOf(Named) })
    router.get('/page', () => {}).use([named.named({ what: 'one' })])
    await server.boot()
    const { route } = router.match('/page', 'GET', false)!
    await composeRouteMiddleware(route, last)(new HttpContextFactory().create())
    assert.deepEqual(passed, ['first in', 'named one', 'last', 'first out'])
  })
})
