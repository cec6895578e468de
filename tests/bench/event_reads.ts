/**
 * What reads of events cost among many: those of one record, those of one kind of record with their total, an unfiltered page with
 * its total, and one event, for the master realm and for another, over HTTP. `EVENTS` says among how many; `BENCH_READS` how often each is asked.
 */
import { loadavg } from 'node:os'

import { seedEvents, realms, recordOf, uuidOf } from './seed_events.js'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const EVENTS = Number(process.env.EVENTS ?? 10_000_000)
const READS = Number(process.env.BENCH_READS ?? 200)
const WANTED_MS = 10
const WANTED_PAGE_MS = 300

testEnvironment()
const database = await testDatabase()
try {
  process.exitCode = (await measured()) ? 0 : 1
} finally {
  await database.stop()
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString()
}

async function measured(): Promise<boolean> {
  const { mountedAs, at } = await import('#tests/helpers/application')
  const { identity, REALMS } = await import('#tests/helpers/identities')
  const stop = await mountedAs('together', { relay: false })
  const startedAt = performance.now()
  await seedEvents(database.url, EVENTS)
  console.log(`${EVENTS} events in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
  const permissions = ['event_read']
  const callers = {
    master: identity({ permissions, realmId: REALMS.master, realmName: 'master' }),
    other: identity({ permissions, realmId: realms[1]!, realmName: 'other' }),
  }
  const records = Math.ceil(EVENTS / 200)
  const paths = {
    'of one record': (n: number) =>
      `/events?filter=and(eq(refType,'node'),eq(refId,'${recordOf((n * 7919) % records)}'))&sort=-createdAt`,
    'of one kind': () =>
      `/events?filter=and(eq(refType,'node'),eq(scope,'entity'))&sort=-createdAt`,
    'a page': () => '/events',
    'a search of one actor': (n: number) => `/events/search?actorId=${recordOf(n % 50)}`,
    'a search of a day': (n: number) => `/events/search?to=${dayBefore(n % 300)}`,
    'a search of a name': () => '/events/search?name=updated&refType=node',
    'one': (n: number) => `/events/${uuidOf(`event ${(n * 7919) % EVENTS}`)}`,
  }
  let isQuick = true
  for (const [what, pathOf] of Object.entries(paths)) {
    for (const [caller, { headers }] of Object.entries(callers)) {
      const times: number[] = []
      let total = 0
      for (let n = 0; n < READS; n++) {
        const start = performance.now()
        const response = await fetch(at('telemetry', pathOf(n)), { headers })
        const { meta } = (await response.json()) as { meta?: { total?: number } }
        times.push(performance.now() - start)
        total = meta?.total ?? 0
        if (performance.now() - start > 1_000 && n >= 5) {
          break
        }
      }
      times.sort((one, other) => one - other)
      const median = times[Math.floor(times.length / 2)]!
      const late = times[Math.floor(times.length * 0.99)]!
      isQuick &&= median <= WANTED_MS
      const figures = `${median.toFixed(1)} ms, p99 ${late.toFixed(1)} ms`
      console.log(
        `${what}, ${caller}: ${figures} (total ${total}, load ${loadavg()[0]!.toFixed(1)})`
      )
    }
  }
  for (const [caller, { token }] of Object.entries(callers)) {
    const areQuick = await measuredPages(caller, token)
    isQuick &&= areQuick
  }
  await stop()
  return isQuick
}

/** The audit pages of the console, as a browser gets them. */
async function measuredPages(caller: string, accessToken: string): Promise<boolean> {
  const { ConsoleVisitor } = await import('#tests/helpers/console/console_visitor')
  const visitor = new ConsoleVisitor()
  visitor.become({ accessToken })
  const pages = {
    'the audit page': () => '/audit',
    'the audit page of an actor': (n: number) => `/audit?who=${recordOf(n % 50)}`,
    'the audit page of a record': (n: number) => `/audit?kind=node&record=${recordOf(n)}`,
    'the audit page of a name and a day': () => '/audit?what=updated&to=2026-01-01',
  }
  let isQuick = true
  for (const [what, pathOf] of Object.entries(pages)) {
    const times: number[] = []
    for (let n = 0; n < READS; n++) {
      const start = performance.now()
      const { status } = await visitor.open(pathOf(n))
      times.push(performance.now() - start)
      isQuick &&= status === 200
    }
    times.sort((one, other) => one - other)
    const median = times[Math.floor(times.length / 2)]!
    const late = times[Math.floor(times.length * 0.99)]!
    isQuick &&= late <= WANTED_PAGE_MS
    console.log(`${what}, ${caller}: ${median.toFixed(1)} ms, p99 ${late.toFixed(1)} ms`)
  }
  return isQuick
}
