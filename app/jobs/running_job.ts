import type { ApplicationService } from '@adonisjs/core/types'

import type { Drain } from '#kernel/drain'

export interface JobContext {
  app: ApplicationService
  drain: Drain
}

export interface RunningJob {
  /** Finishes running work and starts nothing new. */
  stop(): Promise<void>
}
