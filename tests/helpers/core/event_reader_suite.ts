import { test } from '@japa/runner'

import type { EventQuery, EventReader, AuditEvent } from '#core/events/event_reader'
import { clock } from '#kernel/clock'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { appendEvents } from '#telemetry/events/event_table'
import { REPORTED_ON_BUS } from '#telemetry/events/reporter'
import { storedEvent } from '#telemetry/events/stored_event'
import { removeEvent } from '#telemetry/trail/remove_events'

const BEGINNING = Date.UTC(2026, 0, 1)
const at = (second: number) => new Date(BEGINNING + second * 1_000).toISOString()

/** Events about a record, each in the second it is named after. */
async function happened(refId: string, seconds: readonly number[]): Promise<void> {
  const events = seconds.map((second) => ({
    ...storedEvent(
      { scope: 'entity', name: `event-${second}`, refType: 'analysis', refId },
      REPORTED_ON_BUS
    ),
    id: clock.uuid(),
    createdAt: at(second),
  }))
  await inTransaction(telemetryPool(), (transaction) => appendEvents(transaction, events))
}

async function removed(refId: string, seconds: readonly number[]): Promise<void> {
  await inTransaction(telemetryPool(), async (transaction) => {
    const { rows } = await transaction.query<{ id: string }>(
      'select id from events where ref_id = $1 and name = any($2)',
      [refId, seconds.map((second) => `event-${second}`)]
    )
    for (const { id } of rows) {
      await removeEvent(transaction, id)
    }
  })
}

const secondsOf = (events: readonly AuditEvent[]) =>
  events.map(({ name }) => Number(name.slice('event-'.length)))

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** What every reader of events has to do. */
export function eventReaderSuite(title: string, open: () => Promise<EventReader>): void {
  test.group(title, (group) => {
    let reader: EventReader

    group.setup(async () => void (reader = await open()))

    const pageOf = (refId: string, more: Partial<EventQuery> = {}) =>
      reader.read({ refType: 'analysis', refId, limit: 10, ...more })

    /** All pages; something may happen between them. */
    async function readThrough(
      refId: string,
      more: Partial<EventQuery>,
      between: (page: number) => Promise<void> = async () => {}
    ): Promise<number[]> {
      const seconds: number[] = []
      let cursor: string | undefined
      for (let page = 1; page === 1 || cursor !== undefined; page++) {
        const { events, next } = await pageOf(refId, {
          ...more,
          ...(cursor !== undefined && { cursor }),
        })
        seconds.push(...secondsOf(events))
        cursor = next
        await between(page)
      }
      return seconds
    }

    test('the reader returns the events of one record, the newest first', async ({ assert }) => {
      const refId = clock.uuid()
      await happened(refId, [1, 3, 2])
      await happened(clock.uuid(), [4])
      const { events, next } = await pageOf(refId)
      assert.deepEqual(secondsOf(events), [3, 2, 1])
      assert.isUndefined(next)
      assert.containsSubset(events[0], {
        scope: 'entity',
        refType: 'analysis',
        refId,
        data: null,
        actorId: null,
        createdAt: at(3),
      })
      assert.deepEqual((await pageOf(refId, { refType: 'node' })).events, [])
    })

    test('the reader includes the first moment of a time, and excludes the one after it', async ({
      assert,
    }) => {
      const refId = clock.uuid()
      await happened(refId, upTo(6))
      const seconds = async (time: Partial<EventQuery>) =>
        secondsOf((await pageOf(refId, time)).events)
      assert.deepEqual(await seconds({ from: at(2), until: at(4) }), [3, 2])
      assert.deepEqual(await seconds({ from: at(4) }), [5, 4])
      assert.deepEqual(await seconds({ until: at(1) }), [0])
      assert.deepEqual(await seconds({ from: at(9) }), [])
    })

    test('the reader goes page by page, events of the same time included', async ({ assert }) => {
      const refId = clock.uuid()
      const all = upTo(130).map((index) => Math.floor(index / 4))
      await happened(refId, all)
      for (const limit of [1, 7, 50, 60]) {
        assert.deepEqual(await readThrough(refId, { limit }), all.toReversed(), `${limit}`)
      }
      const time = { from: at(5), until: at(30), limit: 20 }
      const during = all.filter((second) => second >= 5 && second < 30)
      assert.deepEqual(await readThrough(refId, time), during.toReversed())
    })

    test('the search refuses a malformed cursor', async ({ assert }) => {
      for (const cursor of ['', 'next', '5', `${at(1)}_x_1`, `soon_${clock.uuid()}`]) {
        await assert.rejects(() => pageOf(clock.uuid(), { cursor }), /cursor is invalid/)
      }
    })

    test('the search continues where a page ended, whatever comes and goes meanwhile', async ({
      assert,
    }) => {
      const refId = clock.uuid()
      await happened(refId, upTo(200))
      const seen = await readThrough(refId, { limit: 30 }, async (page) => {
        if (page === 1) {
          await happened(
            refId,
            upTo(120).map((index) => 1_000 + index)
          )
        }
        if (page === 3) {
          await removed(refId, [...upTo(120).map((index) => 1_000 + index), 199, 198, 150])
        }
      })
      assert.deepEqual(seen, upTo(200).toReversed())
    })
  })
}
