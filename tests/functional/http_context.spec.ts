import { tracingChannel } from 'node:diagnostics_channel'

import { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { ProjectService } from '#core/projects/project_service'
import { clock } from '#kernel/clock'
import { identity } from '#tests/helpers/identities'
import { at } from '#tests/helpers/application'

const { headers } = identity()

/** Sends a request with an id of its own, by which it is recognised among others. */
async function send(path: string, id = clock.uuid()): Promise<string> {
  const response = await fetch(at('core', path), { headers: { ...headers, 'x-request-id': id } })
  await response.arrayBuffer()
  return id
}

test.group('The context of a request', (group) => {
  group.each.teardown(() => app.container.restoreAll())

  test('the context is known in a service that it was not passed to', async ({ assert }) => {
    const ids: (string | undefined)[] = []
    class Watching extends ProjectService {
      override async read(): Promise<string> {
        await new Promise((resolve) => setImmediate(resolve))
        ids.push(HttpContext.get()?.request.id())
        return '{}'
      }
    }
    app.container.swap(ProjectService, () => new Watching({ pool: {} } as never))
    const path = `/projects/${clock.uuid()}`
    const sent = await Promise.all([send(path), send(path), send(path)])
    assert.sameMembers(ids, sent)
  })

  test('the context is unknown outside of one', ({ assert }) => {
    assert.isNull(HttpContext.get())
  })
})

test.group('The event http:request_completed', () => {
  test('the event has the context and the duration of a request')
    .with([
      { path: '/probe/records/1', status: 200 },
      { path: '/probe/failures/unforeseen', status: 500 },
      { path: '/nothing-here', status: 404 },
    ])
    .run(async ({ assert }, { path, status }) => {
      const emitter = await app.container.make('emitter')
      const id = clock.uuid()
      const { promise, resolve } = Promise.withResolvers<[number, number]>()
      const stop = emitter.on('http:request_completed', ({ ctx, duration }) => {
        if (ctx.request.id() === id) {
          assert.equal(ctx.response.getStatus(), status)
          resolve(duration)
        }
      })
      try {
        await send(path, id)
        const [seconds, nanoseconds] = await promise
        assert.isAbove(seconds * 1e9 + nanoseconds, 0)
      } finally {
        stop()
      }
    })
})

test.group('The tracing channel adonisjs.http.request', () => {
  test('the channel reports the start and the end of a request', async ({ assert }) => {
    const channel = tracingChannel<unknown, { ctx: HttpContext }>('adonisjs.http.request')
    const id = clock.uuid()
    const reported: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const reporter = (phase: string) => (message: unknown) => {
      const { ctx } = message as { ctx: HttpContext }
      if (ctx.request.id() === id) {
        reported.push(`${phase} ${ctx.route?.name}`)
        if (phase === 'asyncEnd') {
          resolve()
        }
      }
    }
    const phases = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const
    const subscribers = Object.fromEntries(phases.map((phase) => [phase, reporter(phase)]))
    channel.subscribe(subscribers as never)
    try {
      await send('/probe/records/1', id)
      await promise
    } finally {
      channel.unsubscribe(subscribers as never)
    }
    assert.equal(reported[0], 'start undefined')
    assert.equal(reported.at(-1), 'asyncEnd core.probeRecord')
    assert.notInclude(reported.join(), 'error')
  })
})
