import { test } from '@japa/runner'

import { remoteEventReader } from '#core/events/remote_event_reader'
import { telemetryPool } from '#telemetry/database'
import { localEvents } from '#telemetry/events/local_events'
import { at, boot } from '#tests/helpers/application'
import { eventReaderSuite } from '#tests/helpers/core/event_reader_suite'
import { identity } from '#tests/helpers/identities'

const introspect = async () => undefined as any
const own = identity({ permissions: ['event_read'] })

eventReaderSuite('Events that core reads in process', async () => {
  await boot()
  return localEvents(telemetryPool())
})

eventReaderSuite('Events that core reads over HTTP', async () => {
  await boot()
  const provider = { ownToken: async () => own.token, introspect }
  return remoteEventReader({ url: at('telemetry', ''), provider })
})

test.group('Events that telemetry does not give', () => {
  test('missing events are reported as unavailable', async ({ assert }) => {
    const query = { refType: 'analysis', refId: 'x', limit: 1 }
    const provider = { ownToken: async () => 'none', introspect }
    for (const url of ['http://127.0.0.1:9', at('telemetry', '')]) {
      const away = remoteEventReader({ url, provider })
      await assert.rejects(() => away.read(query), /Events are unavailable/)
    }
  })
})
