import type { ApplicationService } from '@adonisjs/core/types'

import type { Drain } from '#kernel/drain'

export interface JobContext {
  app: ApplicationService
  drain: Drain
  /** The port that this process serves; undefined until it listens. */
  ownPort?: () => number | undefined
}

export interface RunningJob {
  /** Finishes running work and starts nothing new. */
  stop(): Promise<void>
}
