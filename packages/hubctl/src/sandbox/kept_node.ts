import { setTimeout as pause } from 'node:timers/promises'

import type { Part } from './part.js'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** Whoever ran so long before its end begins with the shortest pause again. */
const STEADY_MS = 120_000

export interface KeptNodeOptions {
  /** Starts the node once more, and resolves when it looks for work. */
  readonly restart: (onStart: (part: Part) => void) => Promise<void>
  /** Says what happens to it. */
  readonly tell: (text: string) => void
  readonly firstPauseMs?: number
}

/** A node that is started again when it has ended by itself, after pauses that grow. */
export class KeptNode {
  readonly #options: KeptNodeOptions
  readonly #stopping = new AbortController()
  #part: Part
  #kept: Promise<void> | undefined

  constructor(part: Part, options: KeptNodeOptions) {
    this.#part = part
    this.#options = options
  }

  /** From now on it is started again. */
  keep(): void {
    this.#kept ??= this.#keep()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#part.stop()
    await this.#kept
    // A start that was under way has given a new process.
    await this.#part.stop()
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping
    const { tell, firstPauseMs = FIRST_PAUSE_MS } = this.#options
    let pauseMs = firstPauseMs
    for (let startedAt = performance.now(); ; startedAt = performance.now()) {
      await this.#part.ended()
      if (signal.aborted) {
        return
      }
      const { name, ending } = this.#part
      pauseMs = performance.now() - startedAt > STEADY_MS ? firstPauseMs : pauseMs
      tell(`${name} has ended (${ending}). It is started again in ${pauseMs / 1000} s.`)
      await pause(pauseMs, undefined, { signal }).catch(() => {})
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      if (signal.aborted) {
        return
      }
      await this.#restart()
    }
  }

  async #restart(): Promise<void> {
    const { restart, tell } = this.#options
    try {
      await restart((part) => {
        this.#part = part
      })
      tell(`${this.#part.name} runs again.`)
    } catch (error) {
      if (!this.#stopping.signal.aborted) {
        tell((error as Error).message)
      }
      // A node that runs without getting ready is ended, so that it is tried again.
      await this.#part.stop()
    }
  }
}
