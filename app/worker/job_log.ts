import type { Logger } from '@adonisjs/core/logger'

import { clock } from '#kernel/clock'
import type { ShippedLine } from '#shipping/log_task'
import type { CommandName, Component } from './components.js'
import { failureReport } from './job_failure.js'

const SERVICE = 'hub-server-worker'
const MAX_MESSAGE_LENGTH = 4_096

type Level = 'info' | 'warn' | 'error' | 'debug'

/** Where lines go: to the log of this process, and to those who keep them for the people who wait for the job. */
export interface LogSinks {
  readonly logger: Pick<Logger, Level>
  ship(line: ShippedLine): void
}

export interface JobLabels {
  readonly component: Component
  readonly command: CommandName
  /** Of the record that the command is about, where it is about one. */
  readonly id: string | undefined
}

/**
 * What is said of a job while it is done, so that people find it at the record it is about. It must not hold secrets.
 */
export class JobLog {
  readonly #sinks: LogSinks
  readonly #job: JobLabels
  readonly #more: Readonly<Record<string, string>>
  readonly #labels: Readonly<Record<string, string>>

  constructor(sinks: LogSinks, job: JobLabels, more: Readonly<Record<string, string>> = {}) {
    const { component, command, id } = job
    this.#sinks = sinks
    this.#job = job
    this.#more = more
    this.#labels = {
      ...more,
      component: component.name,
      command,
      refType: component.refType,
      ...(id !== undefined && { refId: id, [component.idLabel]: id }),
    }
  }

  /** For lines about a part of the job, which is named beside. */
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

  /** A stage of the job: a line before it and one after it, or one that says how it failed. */
  async stage<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.info(`${what}: begun`)
    const startedAt = performance.now()
    try {
      const result = await work()
      this.info(`${what}: done in ${((performance.now() - startedAt) / 1000).toFixed(2)} s`)
      return result
    } catch (error) {
      this.warn(`${what}: ${failureReport(error).message}`)
      throw error
    }
  }

  /** How the job ended, under the name of the event that tells it. */
  failed(event: string, error: unknown): void {
    const { code, message } = failureReport(error)
    this.#ship('error', message, { event, code })
    this.#sinks.logger.error({ ...this.#labels, event, code, err: error, shipped: true }, message)
  }

  #write(level: Level, message: string): void {
    this.#ship(level, message)
    this.#sinks.logger[level]({ ...this.#labels, shipped: true }, message)
  }

  #ship(level: Level, message: string, labels: Record<string, string> = {}): void {
    this.#sinks.ship({
      time: new Date(clock.now()).toISOString(),
      message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
      service: SERVICE,
      level,
      channel: 'system',
      labels: { ...this.#labels, ...labels },
    })
  }
}
