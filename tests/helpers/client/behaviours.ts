import { inspect } from 'node:util'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { sendJson, TestPlatform } from './test_platform.js'

/** A part of the house that sends requests to the interface. */
export interface ClientUser {
  readonly name: string
  /** Whether it renews a token that is refused. */
  readonly renews: boolean
  /** Returns what reads the JSON of `/core/things`. */
  readonly connect: (platform: TestPlatform) => (signal: AbortSignal) => Promise<unknown>
}

const unaborted = () => new AbortController().signal

/** What everything that sends requests to the interface does alike. */
export function describeClientUser({ name, renews, connect }: ClientUser): void {
  test.group(`A request of ${name}`, (group) => {
    let platform: TestPlatform
    let read: ReturnType<typeof connect>
    group.each.setup(async () => {
      const ends: (() => void)[] = []
      platform = await TestPlatform.start((end) => ends.push(end))
      read = connect(platform)
      return () => ends.forEach((end) => end())
    })

    test('a request returns the JSON of its answer', async ({ assert }) => {
      assert.deepEqual(await read(unaborted()), { data: 'answer' })
    })

    test('a request has its token renewed once, together with the others', async ({ assert }) => {
      await read(unaborted())
      const before = platform.issued
      platform.refuseTokens()
      const others = Array.from({ length: 20 }, () => read(unaborted()))
      if (renews) {
        await Promise.all(others)
        assert.equal(platform.issued, before + 1)
      } else {
        const outcomes = await Promise.allSettled(others)
        assert.isTrue(outcomes.every(({ status }) => status === 'rejected'))
        assert.equal(platform.requests.length, 21)
      }
    })

    test('a request is refused where the renewed token is, too', async ({ assert }) => {
      await read(unaborted())
      platform.answer = (response) => sendJson(response, { message: 'Refused' }, 401)
      await assert.rejects(() => read(unaborted()))
      assert.equal(platform.requests.length, renews ? 3 : 2)
    })

    test('a request follows no redirect', async ({ assert, cleanup }) => {
      const other = await TestPlatform.start(cleanup)
      platform.answer = (response) => sendJson(response, {}, 302, { location: `${other.url}/core` })
      await assert.rejects(() => read(unaborted()))
      assert.lengthOf(other.requests, 0)
    })

    test('a request fails where the answer is not JSON', async ({ assert }) => {
      platform.answer = (response) => void response.end('<html>')
      await assert.rejects(() => read(unaborted()))
    })

    test('a request fails with its signal', async ({ assert }) => {
      platform.answer = () => {}
      const controller = new AbortController()
      const reading = read(controller.signal)
      const failed = assert.rejects(() => reading)
      await eventually(() => platform.requests.length === 1)
      controller.abort()
      await failed
    })

    test('a request shows no token where it fails', async ({ assert }) => {
      platform.answer = (response) => sendJson(response, { message: 'No' }, 403)
      const refusal: unknown = await read(unaborted()).catch((error: unknown) => error)
      platform.answer = (response) => void response.destroy()
      const loss: unknown = await read(AbortSignal.timeout(2_000)).catch((error: unknown) => error)
      for (const error of [refusal, loss]) {
        assert.instanceOf(error, Error)
        assert.notInclude(inspect(error, { depth: 10, showHidden: true }), 'secret-token')
      }
    })
  })
}
