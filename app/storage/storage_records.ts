import { inject } from '@adonisjs/core'

import { EventSink } from '#records/events'
import type { RecordServiceOptions } from '#records/record_service'
import { storagePool } from './database.js'

/** What the services of storage write with. */
@inject()
export class StorageRecords implements RecordServiceOptions {
  readonly pool = storagePool()
  readonly sink: EventSink

  constructor(sink: EventSink) {
    this.sink = sink
  }
}
