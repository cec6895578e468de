import { setTimeout as delay } from 'node:timers/promises'

import type pg from 'pg'

import type { Bus } from '#bus/bus'
import { MessageReceiver, type DeliveredMessage } from '#bus/message_receiver'
import { validatedData } from '#bus/validated_data'
import { DeliveryAbandoned } from '#bus/errors'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { MalformedMessage, type Message } from '#bus/message'
import type { Attempts } from './attempts.js'
import type { Component } from './components.js'
import { Interruption } from './interruption.js'
import type { Job } from './job.js'
import { JobLog, type LogSinks } from './job_log.js'
import { JobFailure, failureReport } from './job_failure.js'
import { measureJob, type JobOutcome } from './metrics.js'
import { ProgressReporter } from './progress_reporter.js'
import { JobEventPublisher } from './job_event_publisher.js'
import type { WorkerDisk } from './worker_disk.js'
import { ImageLocations, type ImageStores } from '#worker/images/image_locations'
import { isPlatformUnavailable } from '#worker/platform/platform_errors'
import type { Signing } from '#worker/images/signing'
import type { Platform } from '#worker/platform/platform'

export interface JobConsumerDependencies extends LogSinks {
  readonly bus: Bus
  readonly platform: Platform
  readonly images: ImageStores
  readonly signing: Signing
  readonly limits: JobLimits
  readonly attempts: Attempts
  readonly disk: Pick<WorkerDisk, 'isFull'>
  /** Called when a command failed because the disk is full. Nothing is consumed until the disk has space. */
  readonly onDiskFull: () => void
  /** Serializes commands that may have crashed a process, across all components. */
  readonly suspects: KeyedMutex
  /** Stores dead letters of an in-memory bus. */
  readonly database?: pg.Pool | undefined
}

export interface JobLimits {
  /** Concurrent jobs per component. */
  readonly concurrency: number
  /** Timeout of a job. */
  readonly jobMs: number
  /** How long running jobs may continue during shutdown. */
  readonly graceMs: number
  /** How often a command may crash the process before it fails. */
  readonly maxCrashes: number
}

interface Command {
  readonly job: Job
  readonly content: object
  /** In milliseconds of `performance.now()`. */
  readonly receivedAt: number
}

/**
 * Consumes the commands of a component and runs its jobs. A command is acknowledged when its final event is published,
 * and redelivered after a crash.
 */
export class JobConsumer {
  readonly #component: Component
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #dependencies: JobConsumerDependencies
  readonly #records = new KeyedMutex()
  readonly #receiver: MessageReceiver
  /** Aborted when the grace period is over. */
  readonly #ending = new AbortController()

  static async start(
    component: Component,
    jobs: readonly Job[],
    dependencies: JobConsumerDependencies
  ) {
    const consumer = new JobConsumer(component, jobs, dependencies)
    await consumer.#receiver.start(
      (message) => consumer.#parse(message),
      async (delivered, command) => {
        const record = String(delivered.message.data.id)
        await consumer.#records.run(record, () => consumer.#runOrIsolate(delivered, command))
        return 'handled'
      }
    )
    return consumer
  }

  private constructor(
    component: Component,
    jobs: readonly Job[],
    dependencies: JobConsumerDependencies
  ) {
    this.#component = component
    this.#jobs = new Map(jobs.map((job) => [job.command, job]))
    this.#dependencies = dependencies
    const { bus, logger, database, limits } = dependencies
    const { queue, isSingle } = component
    const prefetch = isSingle ? 1 : limits.concurrency
    const subscription = { queue, prefetch, ...(database && { database }) }
    this.#receiver = new MessageReceiver({ bus, logger, subscription })
  }

  /** Lets jobs finish within the grace period. Requeues all others. */
  async stop(): Promise<void> {
    const grace = new AbortController()
    void delay(this.#dependencies.limits.graceMs, undefined, { signal: grace.signal }).then(
      () => this.#ending.abort(),
      () => {}
    )
    await this.#receiver.stop()
    grace.abort()
    this.#ending.abort()
  }

  async #parse(message: Message): Promise<Command> {
    const job = this.#jobs.get(message.type)
    if (!job) {
      throw new MalformedMessage(`no job handles commands of type ${message.type}`)
    }
    const content = await validatedData<object>(message, job.content)
    return { job, content, receivedAt: performance.now() }
  }

  /** Runs commands that may have crashed a process one at a time, so that they do not crash others beside them. */
  async #runOrIsolate(delivered: DeliveredMessage, command: Command): Promise<void> {
    const { attempts, suspects } = this.#dependencies
    const run = () => this.#run(delivered, command)
    const isSuspect = await attempts.isSuspect(delivered.message.id)
    await (isSuspect ? suspects.run('one by one', run) : run())
  }

  async #run(
    { delivery, message }: DeliveredMessage,
    { job, content, receivedAt }: Command
  ): Promise<void> {
    // Brokers requeue deliveries that are not acknowledged in time, with everything in progress here. The time in the queue counts
    // too.
    const limitMs = this.#dependencies.limits.jobMs - (performance.now() - receivedAt)
    this.#receiver.requireActive([delivery])
    if (limitMs <= 0) {
      throw new DeliveryAbandoned()
    }
    const interruption = new Interruption({ delivery, limitMs, ending: this.#ending.signal })
    const id = typeof message.data.id === 'string' ? message.data.id : undefined
    const { run, requestId } = message.metadata
    const log = new JobLog(this.#dependencies, {
      component: this.#component,
      command: job.command,
      id,
      run: textOrNone(run),
      requestId: textOrNone(requestId),
    })
    const publisher = new JobEventPublisher(
      this.#dependencies.bus,
      this.#component,
      message,
      interruption.released
    )
    const [started, finished, failed] = EVENTS[job.command]
    /** Not awaited: the final event waits for all earlier ones and fails if they do. */
    const publishInBackground = (event: string, data: object) => {
      void publisher.publish(event, data).catch(() => {})
    }
    const progress = new ProgressReporter((current) => {
      publishInBackground('executionProgress', { ...content, progress: current })
    })
    const stopTimer = measureJob(job)
    const { attempts } = this.#dependencies
    let attempt = 0
    let outcome: JobOutcome = 'returned'
    try {
      publishInBackground(started, content)
      attempt = await attempts.start(message.id)
      this.#requireAttemptsLeft(attempt)
      const { signal } = interruption
      signal.throwIfAborted()
      const platform = this.#dependencies.platform.until(signal)
      const result = await job.run(content, {
        signal,
        platform,
        locations: new ImageLocations(this.#dependencies.images, platform, signal),
        signing: this.#dependencies.signing,
        log,
        command: message.metadata,
        progress: (current, total) => job.command === 'execute' && progress.update(current, total),
      })
      await publisher.publish(finished, { ...content, ...result })
      outcome = 'done'
    } catch (error) {
      this.#throwIfReleased(interruption, error)
      await this.#throwIfDiskIsFull(log)
      const cause = interruption.causeOf(error)
      log.failed(failed, cause)
      const details = cause instanceof JobFailure ? cause.eventData : {}
      await publisher.publish(failed, { ...content, ...details, error: failureReport(cause) })
      outcome = 'failed'
    } finally {
      if (attempt > 0) {
        await (outcome === 'returned' ? attempts.undo(message.id) : attempts.finish(message.id))
      }
      stopTimer(outcome)
      interruption.end()
    }
  }

  #requireAttemptsLeft(attempt: number): void {
    const { maxCrashes } = this.#dependencies.limits
    if (attempt > maxCrashes) {
      throw new JobFailure(
        'workerEnded',
        `The worker crashed ${maxCrashes} times during this job, which is not retried. The usual cause is too little memory: add memory or lower WORKER_CONCURRENCY; see the system log of its machine`
      )
    }
  }

  /** A job that fails because this process or the platform is shutting down is requeued. */
  #throwIfReleased({ released }: Interruption, error: unknown): void {
    const isOver = this.#receiver.signal.aborted && isPlatformUnavailable(error)
    if (released.aborted || isOver || error instanceof DeliveryAbandoned) {
      throw new DeliveryAbandoned()
    }
  }

  /** Whatever the error was: another worker finds out whether the command itself fails. */
  async #throwIfDiskIsFull(log: JobLog): Promise<void> {
    const { disk, onDiskFull } = this.#dependencies
    if (await disk.isFull()) {
      log.warn('the disk of the worker is full; the next worker with space goes on')
      onDiskFull()
      throw new DeliveryAbandoned()
    }
  }
}

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined)

const EVENTS = {
  execute: ['executionStarted', 'executionFinished', 'executionFailed'],
  check: ['checkStarted', 'checkFinished', 'checkFailed'],
} as const
