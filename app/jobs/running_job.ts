import type { ApplicationService } from '@adonisjs/core/types'

import type { Drain } from '#kernel/drain'

export interface JobContext {
  app: ApplicationService
  drain: Drain
}

export interface RunningJob {
  /** Lets what is under way finish and takes on nothing new. */
  stop(): Promise<void>
}
