import { inject } from '@adonisjs/core'

import { EventSink } from '#records/events'
import type { RecordServiceOptions } from '#records/record_service'
import { CorePool } from './database.js'

/** What the services of core write with. */
@inject()
export class CoreRecords implements RecordServiceOptions {
  readonly pool: CorePool
  readonly sink: EventSink

  constructor(pool: CorePool, sink: EventSink) {
    this.pool = pool
    this.sink = sink
  }
}
