import type { ApplicationService } from '@adonisjs/core/types'

import { Signals } from '#signals/signals'
import { EventService } from '#telemetry/events/event_service'
import { EventTail } from '#telemetry/events/live/event_tail'
import { LineOwners } from '#telemetry/logs/line_owners'
import { LogService } from '#telemetry/logs/log_service'
import { EVENTS_TOPIC, onAppended } from '#telemetry/events/live/append_notifications'
import { TelemetryRecords } from '#telemetry/telemetry_records'
import { HeadAnchor } from '#telemetry/trail/head_anchor'
import { openHeadAnchor } from '#telemetry/trail/open_head_anchor'
import { TrailService } from '#telemetry/trail/trail_service'
import { watchStores } from '#telemetry/watch_stores'
import { env } from '#start/env'
import { makeOnce } from './made_once.js'

/** Binds the services of telemetry. */
export function wireTelemetry({ container }: ApplicationService): void {
  if (env.SURFACES.includes('telemetry')) {
    watchStores()
  }
  onAppended(async () => {
    const signals = await container.make(Signals)
    signals.notify(EVENTS_TOPIC)
  })
  container.singleton(HeadAnchor, async (resolver) => {
    const drive = await resolver.make('drive.manager')
    return openHeadAnchor(drive.use())
  })
  makeOnce(container, [
    TelemetryRecords,
    EventService,
    EventTail,
    LineOwners,
    LogService,
    TrailService,
  ])
}
