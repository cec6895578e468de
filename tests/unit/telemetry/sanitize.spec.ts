import { test } from '@japa/runner'

import { retentionOf } from '#telemetry/events/retention'
import { sanitized } from '#telemetry/events/sanitize'
import { overrideClock } from '#kernel/clock'

const pair = { next: 'b', previous: 'a' }

test.group('The retained data of an event', () => {
  test('{0}')
    .with([
      ['nothing stays nothing', undefined, null],
      ['null stays null', null, null],
      ['an empty object stays empty', {}, {}],
      ['anything but differences goes', { note: 'x', token: 'y' }, {}],
      ['a difference of plain values stays', { diff: { title: pair } }, { diff: { title: pair } }],
      [
        'null, numbers and flags are plain',
        { diff: { a: { next: null, previous: 1 }, b: { next: true, previous: false } } },
        { diff: { a: { next: null, previous: 1 }, b: { next: true, previous: false } } },
      ],
      ['half a difference goes', { diff: { title: { next: 'b' } } }, { diff: {} }],
      ['objects are not plain', { diff: { o: { next: { a: 1 }, previous: null } } }, { diff: {} }],
      ['lists are not plain', { diff: { o: { next: [1], previous: null } } }, { diff: {} }],
      ['differences that are text go', { diff: 'text' }, {}],
      ['differences that are a list go', { diff: [pair] }, {}],
      [
        'more than the two versions goes',
        { diff: { title: { ...pair, note: 1 } } },
        { diff: { title: pair } },
      ],
      [
        'whatever is named like a secret goes, in any case and anywhere in the name',
        {
          diff: {
            accountSecret: pair,
            buildHash: pair,
            PASSWORD: pair,
            refreshTokenId: pair,
            credentials: pair,
          },
        },
        { diff: {} },
      ],
    ] as [string, unknown, unknown][])
    .run(({ assert }, [, data, kept]) => {
      assert.deepEqual(sanitized(data), kept)
    })
})

test.group('The retention of an event from the bus', (group) => {
  group.each.setup(() => overrideClock({ now: () => Date.UTC(2026, 0, 1) }))

  const later = '2026-01-08T00:00:00.000Z'
  const input = '2031-01-01T00:00:00Z'

  test('{0}')
    .with([
      ['for the days of the installation', {}, 7, { expiring: true, expiresAt: later }],
      ['for good where these are none', {}, 0, { expiring: false, expiresAt: null }],
      [
        'for good, whatever else is said',
        { expiring: true },
        0,
        { expiring: false, expiresAt: null },
      ],
      [
        'as long as its sender says, to the millisecond',
        { expiresAt: '2031-01-01T00:00:00.1239999Z' },
        7,
        { expiring: true, expiresAt: '2031-01-01T00:00:00.123Z' },
      ],
      [
        'for good where its sender says so',
        { expiring: false, expiresAt: input },
        7,
        { expiring: false, expiresAt: null },
      ],
    ] as [string, { expiring?: boolean; expiresAt?: string }, number, object][])
    .run(({ assert }, [, sent, days, retention]) => {
      assert.deepEqual(retentionOf(sent, days), retention as never)
    })
})
