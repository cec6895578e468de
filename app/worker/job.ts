import type { Metadata } from '#bus/message'
import type { BodyValidator } from '#kernel/body'
import type { CommandName, Component } from './components.js'
import type { JobLog } from './job_log.js'
import type { Signing } from '#worker/images/signing'
import type { ImageLocations } from '#worker/images/image_locations'
import type { Platform } from '#worker/platform/platform'

/** Handles one command of one component. */
export interface Job<Content extends object = any> {
  readonly component: Component
  readonly command: CommandName
  /** Validates the data of the command, which is repeated in its events. */
  readonly content: Pick<BodyValidator<Content>, 'validate'>
  /**
   * Does the work. Must be idempotent, because commands may be redelivered after completion. The result becomes part of
   * the final event; errors are reported by code and message.
   */
  run(content: Content, context: JobContext): Promise<Readonly<Record<string, unknown>>>
}

/** What a job works with. */
export interface JobContext {
  /** Aborted on timeout, shutdown, or if the command is lost. Anything that waits must observe it. */
  readonly signal: AbortSignal
  readonly platform: Platform
  readonly locations: ImageLocations
  readonly signing: Signing
  readonly log: JobLog
  readonly command: Metadata
  /** Reports progress, usually in bytes. Events are throttled. */
  progress(current: number, total: number): void
}

export const defineJob = <Content extends object>(job: Job<Content>): Job<Content> => job
