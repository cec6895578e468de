import { inject } from '@adonisjs/core'

import { notifyingSink } from '#identity/embedded/change_notifications'
import { identityPool } from '#identity/embedded/database'
import { EventSink } from '#records/events'
import type { RecordServiceOptions } from '#records/record_service'

/** What the services of the embedded provider write with. */
@inject()
export class IdentityRecords implements RecordServiceOptions {
  readonly pool = identityPool()
  readonly sink: EventSink

  constructor(sink: EventSink) {
    this.sink = notifyingSink(sink)
  }
}
