import type { Metadata } from '#bus/message'
import type { BodyValidator } from '#kernel/body'
import type { CommandName, Component } from './components.js'
import type { JobLog } from './job_log.js'
import type { Signing } from '#worker/images/signing'
import type { ImageLocations } from '#worker/images/image_locations'
import type { Platform } from '#worker/platform/platform'

/** What is done for one command of one component. */
export interface Job<Content extends object = any> {
  readonly component: Component
  readonly command: CommandName
  /** What a command of this kind says. What it says is repeated in all that is told of it. */
  readonly content: Pick<BodyValidator<Content>, 'validate'>
  /**
   * Does it, however often it is asked to: a command may come again after it was done, or half done. Answers what is told of it beside
   * that it is over. What it throws is told as a failure, by its code and its sentence.
   */
  run(content: Content, work: JobContext): Promise<Readonly<Record<string, unknown>>>
}

/** What a job is given to do its work with. */
export interface JobContext {
  /** Aborts where the time is up, the process ends or the command was taken back; whatever waits or flows has to heed it. */
  readonly signal: AbortSignal
  readonly platform: Platform
  /** Where images are. */
  readonly locations: ImageLocations
  readonly signing: Signing
  readonly log: JobLog
  readonly command: Metadata
  /** Tells how far it is, as often as is good for those who listen. Numbers of bytes, mostly. */
  progress(current: number, total: number): void
}

export const defineJob = <Content extends object>(job: Job<Content>): Job<Content> => job
