import { test } from '@japa/runner'

import type { HostResolver } from '#kernel/host_resolver'
import { eventually } from '#tests/helpers/eventually'
import { realTime } from '#tests/helpers/real_time'
import type { CountingProxy } from './counting_proxy.js'

/** Connections of the hub to several hosts of one kind of server. */
export interface HostsSubject {
  readonly resolver: HostResolver
  /** In front of the hosts that the address names. */
  readonly proxies: readonly CountingProxy[]
  /** What must not be in an error. */
  readonly password: string
  /** Sends something that only a host that serves accepts. */
  write(): Promise<void>
  /** Stops the host that serves, so that another one serves. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

const CALLERS = 20
const AWAY_MS = 2_000

/** The tests that every driver of an address with several hosts passes. */
export function hostsSuite(driver: string, open: () => Promise<HostsSubject>): void {
  test.group(`Several hosts | ${driver}`, (group) => {
    let subject: HostsSubject

    group.setup(async () => {
      subject = await open()
      return () => subject.stop()
    })

    const isWritten = () =>
      subject.write().then(
        () => true,
        () => false
      )

    test('connections go to the host that serves', async ({ assert }) => {
      await eventually(isWritten)
      assert.isDefined(subject.resolver.current)
    })

    test('a suspicion about a host that serves does no harm', async () => {
      await eventually(isWritten)
      subject.resolver.suspect(subject.resolver.current!)
      await eventually(isWritten)
    })

    test('while no host serves, many callers cause few attempts, and errors without a password', async ({
      assert,
    }) => {
      await eventually(isWritten)
      const attempts = () => subject.proxies.reduce((sum, { count }) => sum + count, 0)
      subject.proxies.forEach((proxy) => proxy.goAway())
      const { current } = subject.resolver
      current && subject.resolver.suspect(current)
      const before = attempts()
      const errors: unknown[] = []
      const end = AbortSignal.timeout(AWAY_MS)
      const call = async () => {
        while (!end.aborted) {
          await subject.write().catch((error) => errors.push(error))
          await realTime(5, 'callers try again')
        }
      }
      await Promise.all(Array.from({ length: CALLERS }, call))

      assert.isAbove(errors.length, CALLERS)
      assert.isAtMost(attempts() - before, 20 * subject.proxies.length)
      assert.notInclude(errors.map(textOf).join('\n'), subject.password)
      subject.proxies.forEach((proxy) => proxy.comeBack())
      await eventually(isWritten)
    })

    test('when the host stops, connections go to another one, without a restart', async ({
      assert,
    }) => {
      await eventually(isWritten)
      const before = subject.resolver.current!
      await subject.failOver()
      await eventually(isWritten)
      assert.notDeepEqual(subject.resolver.current, before)
    })
  })
}

function textOf(error: unknown): string {
  const { message, stack, cause } = error as Error
  return [message, stack, cause === undefined ? '' : textOf(cause)].join('\n')
}
