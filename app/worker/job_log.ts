import type { Logger } from '@adonisjs/core/logger'

import { measureStep, traceLogFields } from '#tracing/tracing'
import { clock } from '#kernel/clock'
import type { ShippedLine } from '#shipping/log_task'
import type { CommandName, Component } from './components.js'
import { failureReport } from './job_failure.js'

const SERVICE = 'hub-server-worker'
const MAX_MESSAGE_LENGTH = 4_096

type Level = 'info' | 'warn' | 'error' | 'debug'

/** Where lines are written: the log of this process, and the log store of the record. */
export interface LogSinks {
  readonly logger: Pick<Logger, Level>
  ship(line: ShippedLine): void
}

export interface JobLabels {
  readonly component: Component
  readonly command: CommandName
  /** ID of the record the command refers to. */
  readonly id: string | undefined
  /** The run of the process that the command belongs to. */
  readonly run?: string | undefined
  /** The request that caused the command. */
  readonly requestId?: string | undefined
}

/** The log of a job, attached to the record it refers to. Must not contain secrets. */
export class JobLog {
  readonly #sinks: LogSinks
  readonly #job: JobLabels
  readonly #more: Readonly<Record<string, string>>
  readonly #labels: Readonly<Record<string, string>>

  constructor(sinks: LogSinks, job: JobLabels, more: Readonly<Record<string, string>> = {}) {
    const { component, command, id, run, requestId } = job
    this.#sinks = sinks
    this.#job = job
    this.#more = more
    this.#labels = {
      ...more,
      component: component.name,
      command,
      refType: component.refType,
      ...(run !== undefined && { run }),
      ...(requestId !== undefined && { request_id: requestId }),
      ...(id !== undefined && { refId: id, [component.idLabel]: id }),
    }
  }

  /** A log with additional labels, for a part of the job. */
  withLabels(labels: Readonly<Record<string, string>>): JobLog {
    return new JobLog(this.#sinks, this.#job, { ...this.#more, ...labels })
  }

  info(message: string): void {
    this.#write('info', message)
  }

  debug(message: string): void {
    this.#write('debug', message)
  }

  warn(message: string): void {
    this.#write('warn', message)
  }

  /** Logs start and end of a stage, or its failure. */
  async stage<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.#write('info', `${what}: started`, { step: what, stepState: 'started' })
    const startedAt = performance.now()
    try {
      const result = await measureStep({ name: what }, work)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(2)
      this.#write('info', `${what}: done in ${seconds} s`, { step: what, stepState: 'done' })
      return result
    } catch (error) {
      const { message } = failureReport(error)
      this.#write('warn', `${what}: ${message}`, { step: what, stepState: 'failed' })
      throw error
    }
  }

  /** Logs the failure under the name of the event. */
  failed(event: string, error: unknown): void {
    const { code, message } = failureReport(error)
    this.#ship('error', message, { event, code })
    this.#sinks.logger.error({ ...this.#labels, event, code, err: error, shipped: true }, message)
  }

  #write(level: Level, message: string, labels: Record<string, string> = {}): void {
    this.#ship(level, message, labels)
    this.#sinks.logger[level]({ ...this.#labels, ...labels, shipped: true }, message)
  }

  #ship(level: Level, message: string, labels: Record<string, string> = {}): void {
    this.#sinks.ship({
      time: new Date(clock.now()).toISOString(),
      message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
      service: SERVICE,
      level,
      channel: 'system',
      labels: { ...this.#labels, ...labels, ...traceLogFields() },
    })
  }
}
