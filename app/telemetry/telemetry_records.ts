import { inject } from '@adonisjs/core'

import { EventSink } from '#records/events'
import type { RecordServiceOptions } from '#records/record_service'
import { telemetryPool } from './database.js'

/** What the services of telemetry write with. */
@inject()
export class TelemetryRecords implements RecordServiceOptions {
  readonly pool = telemetryPool()
  readonly sink: EventSink

  constructor(sink: EventSink) {
    this.sink = sink
  }
}
