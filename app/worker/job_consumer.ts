import { setTimeout as delay } from 'node:timers/promises'

import type pg from 'pg'

import type { Bus, Delivery } from '#bus/bus'
import { contentOf } from '#bus/content_of'
import { DeliveryAbandoned } from '#bus/errors'
import { errorMessageOf } from '#bus/infrastructure_failure'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { MalformedMessage, readMessage, type Message } from '#bus/message'
import { busMetrics } from '#bus/metrics'
import type { Attempts } from './attempts.js'
import type { Component } from './components.js'
import { Interruption } from './interruption.js'
import type { Job } from './job.js'
import { JobLog, type LogWays } from './job_log.js'
import { JobFailure, toldFailure } from './job_failure.js'
import { measureJob, type Outcome } from './metrics.js'
import { ProgressReport } from './progress.js'
import { Teller } from './teller.js'
import { Places, type ImageStores } from '#worker/images/places'
import { isPlatformAway } from '#worker/platform/problems'
import type { Signing } from '#worker/images/signing'
import type { Platform } from '#worker/platform/platform'

export interface Needs extends LogWays {
  readonly bus: Bus
  readonly platform: Platform
  readonly images: ImageStores
  readonly signing: Signing
  readonly limits: Limits
  readonly attempts: Attempts
  /** In which what may have ended a process is done, one by one over all components. */
  readonly suspects: KeyedMutex
  /** Where a bus in the memory of this process keeps dead letters. */
  readonly database?: pg.Pool | undefined
}

export interface Limits {
  /** Jobs of one component side by side. */
  readonly concurrency: number
  /** How long one may take. */
  readonly jobMs: number
  /** How long jobs under way may go on when the process ends. */
  readonly graceMs: number
  /** How often a command may have ended its process before it has failed. */
  readonly deaths: number
}

/** One command that was taken, with what it asks for. */
interface Taken {
  readonly delivery: Delivery
  readonly message: Message
  readonly job: Job
  readonly content: object
  /** On the clock of this process. */
  readonly takenAt: number
}

/**
 * Takes the commands of one component and does its jobs. A command is done with when its last event is on the bus; one that was taken
 * by a process that ended is delivered again, and ends in the same.
 */
export class JobConsumer {
  readonly #component: Component
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #needs: Needs
  readonly #records = new KeyedMutex()
  readonly #stopping = new AbortController()
  /** The time for what is under way is over. */
  readonly #ending = new AbortController()
  #subscription: { stop(): Promise<void> } | undefined

  static async start(component: Component, jobs: readonly Job[], needs: Needs) {
    const consumer = new JobConsumer(component, jobs, needs)
    const prefetch = component.isSingle ? 1 : needs.limits.concurrency
    consumer.#subscription = await needs.bus.subscribe(
      {
        queue: component.queue,
        prefetch,
        ...(needs.database && { database: needs.database }),
      },
      (delivery) => consumer.#take(delivery)
    )
    return consumer
  }

  private constructor(component: Component, jobs: readonly Job[], needs: Needs) {
    this.#component = component
    this.#jobs = new Map(jobs.map((job) => [job.command, job]))
    this.#needs = needs
  }

  /** Lets jobs end that need not much longer; all others, and those not begun, go back to the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const grace = new AbortController()
    void delay(this.#needs.limits.graceMs, undefined, { signal: grace.signal }).then(
      () => this.#ending.abort(),
      () => {}
    )
    await this.#subscription?.stop()
    grace.abort()
    this.#ending.abort()
  }

  async #take(delivery: Delivery): Promise<void> {
    const taken = await this.#read(delivery)
    if (taken) {
      const { id } = taken.message.data
      await this.#records.run(String(id), () => this.#inTurn(taken))
    }
    busMetrics.settled(this.#component.queue, taken ? 'handled' : 'malformed')
  }

  /** What the command asks for; undefined where nobody can do that, so that it was put among the dead letters. */
  async #read(delivery: Delivery): Promise<Taken | undefined> {
    const { queue } = this.#component
    try {
      const message = readMessage(delivery.bytes, { type: 'work', key: queue })
      const job = this.#jobs.get(message.type)
      if (!job) {
        throw new MalformedMessage(`nobody here knows commands of type ${message.type}`)
      }
      const content = await contentOf<object>(message, job.content)
      return { delivery, message, job, content, takenAt: performance.now() }
    } catch (error) {
      const reason = `malformed: ${errorMessageOf(error)}`
      await delivery.deadLetter({ reason, attempts: 0 })
      this.#needs.logger.warn({ queue, reason }, 'a command was put among the dead letters')
      return undefined
    }
  }

  /**
   * What was begun before and not ended may be what ended that process. It is done while nothing else of the kind is, so that it does not take the
   * innocent beside it along until all of them have failed.
   */
  async #inTurn(taken: Taken): Promise<void> {
    const { attempts, suspects } = this.#needs
    const isSuspect = await attempts.isSuspect(taken.message.id)
    await (isSuspect
      ? suspects.run('one by one', () => this.#carryOut(taken))
      : this.#carryOut(taken))
  }

  async #carryOut({ delivery, message, job, content, takenAt }: Taken): Promise<void> {
    // Brokers take back what is held for too long, and with it all that is under way here: what waited counts as well.
    const limitMs = this.#needs.limits.jobMs - (performance.now() - takenAt)
    if (this.#stopping.signal.aborted || delivery.isLost || limitMs <= 0) {
      throw new DeliveryAbandoned()
    }
    const interruption = new Interruption({ delivery, limitMs, ending: this.#ending.signal })
    const id = typeof message.data.id === 'string' ? message.data.id : undefined
    const log = new JobLog(this.#needs, { component: this.#component, command: job.command, id })
    const teller = new Teller(this.#needs.bus, this.#component, message, interruption.putDown)
    const [started, finished, failed] = EVENTS[job.command]
    /** Nobody waits for that here: what is told last waits for all before, and fails where they do. */
    const tellBeside = (event: string, data: object) => {
      void teller.tell(event, data).catch(() => {})
    }
    const progress = new ProgressReport((told) => {
      tellBeside('executionProgress', { ...content, progress: told })
    })
    const measured = measureJob(job)
    const { attempts } = this.#needs
    let attempt = 0
    let outcome: Outcome = 'returned'
    try {
      tellBeside(started, content)
      attempt = await attempts.begin(message.id)
      this.#requireHarmless(attempt)
      const { signal } = interruption
      signal.throwIfAborted()
      const platform = this.#needs.platform.until(signal)
      const answer = await job.run(content, {
        signal,
        platform,
        places: new Places(this.#needs.images, platform, signal),
        signing: this.#needs.signing,
        log,
        command: message.metadata,
        progress: (current, total) => job.command === 'execute' && progress.at(current, total),
      })
      await teller.tell(finished, { ...content, ...answer })
      outcome = 'done'
    } catch (error) {
      this.#requireOurs(interruption, error)
      const cause = interruption.causeOf(error)
      log.failed(failed, cause)
      const beside = cause instanceof JobFailure ? cause.told : {}
      await teller.tell(failed, { ...content, ...beside, error: toldFailure(cause) })
      outcome = 'failed'
    } finally {
      if (attempt > 0) {
        await (outcome === 'returned' ? attempts.takeBack(message.id) : attempts.end(message.id))
      }
      measured(outcome)
      interruption.end()
    }
  }

  #requireHarmless(attempt: number): void {
    const { deaths } = this.#needs.limits
    if (attempt > deaths) {
      throw new JobFailure(
        'workerEnded',
        `The worker ended ${deaths} times while it was at this, and it is not tried again. Mostly it has too little memory: give it more, or lower WORKER_CONCURRENCY; what ended it stands in the log of its machine`
      )
    }
  }

  /** What cannot be done since this process, or the whole platform, is about to end has not failed. */
  #requireOurs({ putDown }: Interruption, error: unknown): void {
    const isOver = this.#stopping.signal.aborted && isPlatformAway(error)
    if (putDown.aborted || isOver || error instanceof DeliveryAbandoned) {
      throw new DeliveryAbandoned()
    }
  }
}

const EVENTS = {
  execute: ['executionStarted', 'executionFinished', 'executionFailed'],
  check: ['checkStarted', 'checkFinished', 'checkFailed'],
} as const
