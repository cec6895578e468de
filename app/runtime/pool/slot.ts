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
  /** Called with each process that works from now on. */
  onReady(member: Member): void
  /** Called with each process before it is asked to stop. */
  onLeaving(member: Member): void
}

/**
 * A slot in a pool with a process in it, which is started again when it ends by itself, and replaced at a reload.
 */
export class Slot {
  readonly kind: 'web' | 'jobs'
  readonly name: string
  readonly #options: SlotOptions
  readonly #restartPause = new RestartPause(config.restart)
  readonly #stopping = new AbortController()
  /** Every process here that did not end yet: the one at work, one that starts, one that drains. */
  readonly #alive = new Set<Member>()
  #current: Member | undefined
  #reason = 'is starting'
  #restarts = 0

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

  /** Starts the first process; rejects where it does not get ready. */
  async start(): Promise<void> {
    this.#activate(await this.#startMember())
  }

  /** Replaces the process at work: it goes on until the new one is ready, and stays where that one never is. */
  async replace(): Promise<void> {
    const successor = await this.#startMember()
    const predecessor = this.#current
    this.#activate(successor)
    if (predecessor) {
      await this.#retire(predecessor)
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#alive].map((member) => this.#retire(member)))
  }

  /** What keeps the process here from working, under the name of the slot. */
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

  /** What the process here does without, under the name of the slot. */
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

  /** Waits before the next start; answers false where none is needed any more. */
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
