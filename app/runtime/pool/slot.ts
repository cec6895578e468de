import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from '@adonisjs/core/logger'

import config from '#config/pool'
import type { FailedCheck } from '#observability/health'
import { RestartPause } from './restart_pause.js'
import { Member, type Program } from './member.js'

export type SlotState = 'starting' | 'ready' | 'restarting' | 'stopping'

interface SlotOptions {
  kind: 'web' | 'jobs'
  program: Program
  logger: Pick<Logger, 'info' | 'error'>
  /** Called when a process becomes ready. */
  onReady(member: Member): void
  /** Called before a process is stopped. */
  onLeaving(member: Member): void
}

/** A slot of a pool: restarts its process when it ends unexpectedly, and replaces it at a reload. */
export class Slot {
  readonly kind: 'web' | 'jobs'
  readonly name: string
  readonly #options: SlotOptions
  readonly #restartPause = new RestartPause(config.restart)
  readonly #stopping = new AbortController()
  /** All processes of this slot that have not ended: the current one, one that starts, one that drains. */
  readonly #alive = new Set<Member>()
  #current: Member | undefined
  #reason = 'is starting'
  #restarts = 0
  #isStopAnnounced = false

  constructor(options: SlotOptions) {
    this.kind = options.kind
    this.name = options.program.name
    this.#options = options
  }

  get state(): SlotState {
    if (this.#stopping.signal.aborted) {
      return 'stopping'
    }
    if (this.#current) {
      return 'ready'
    }
    return this.#restarts === 0 ? 'starting' : 'restarting'
  }

  get restarts(): number {
    return this.#restarts
  }

  get current(): Member | undefined {
    return this.#current
  }

  /** Starts the first process; rejects if it does not become ready. */
  async start(): Promise<void> {
    this.#activate(await this.#startMember())
  }

  /** Replaces the current process once its successor is ready; keeps it if the successor fails. */
  async replace(): Promise<void> {
    const successor = await this.#startMember()
    const predecessor = this.#current
    this.#activate(successor)
    if (predecessor) {
      await this.#retire(predecessor)
    }
  }

  /** For the current process and those that take its place until `stop`. */
  announceStop(): void {
    this.#isStopAnnounced = true
    this.#current?.announceStop()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#alive].map((member) => this.#retire(member)))
  }

  /** The failing checks of the process, under the name of the slot. */
  async failing(): Promise<FailedCheck[]> {
    const { name } = this
    if (this.state === 'stopping') {
      return [{ name, reason: 'is stopping' }]
    }
    if (!this.#current) {
      return [{ name, reason: this.#reason }]
    }
    try {
      const failing = await this.#current.request('failing')
      return failing.map((part) => ({ name, reason: `${part.name}: ${part.reason}` }))
    } catch (error) {
      return [{ name, reason: (error as Error).message }]
    }
  }

  /** The failing optional checks of the process, under the name of the slot. */
  async degraded(): Promise<FailedCheck[]> {
    const { name } = this
    const degraded = (await this.#current?.request('degraded').catch(() => [])) ?? []
    return degraded.map((part) => ({ name, reason: `${part.name}: ${part.reason}` }))
  }

  async #startMember(): Promise<Member> {
    this.#stopping.signal.throwIfAborted()
    const member = Member.start(this.#options.program)
    this.#alive.add(member)
    void member.ended.then(() => this.#alive.delete(member))
    await member.ready
    return member
  }

  #activate(member: Member): void {
    this.#current = member
    if (this.#isStopAnnounced) {
      member.announceStop()
    }
    this.#options.onReady(member)
    void member.ended.then((how) => this.#onEnded(member, how))
  }

  async #retire(member: Member): Promise<void> {
    this.#options.onLeaving(member)
    await member.stop()
  }

  async #onEnded(member: Member, how: string): Promise<void> {
    if (this.#current === member) {
      this.#current = undefined
      await this.#restart(`${this.name} ${how}`, performance.now() - member.startedAt)
    }
  }

  async #restart(problem: string, ranForMs: number): Promise<void> {
    while (await this.#pause(problem, ranForMs)) {
      try {
        await this.replace()
        this.#options.logger.info({ process: this.name }, `${this.name} is ready again`)
        return
      } catch (error) {
        problem = (error as Error).message
        ranForMs = 0
      }
    }
  }

  /** Waits before the next start; resolves to false if none is needed any more. */
  async #pause(problem: string, ranForMs: number): Promise<boolean> {
    const { signal } = this.#stopping
    if (signal.aborted) {
      return false
    }
    const restartInMs = this.#restartPause.next(ranForMs)
    this.#restarts++
    this.#reason = `is started again: ${problem}`
    this.#options.logger.error({ process: this.name, restartInMs }, problem)
    await delay(restartInMs, undefined, { signal }).catch(() => {})
    return !signal.aborted && !this.#current
  }
}
