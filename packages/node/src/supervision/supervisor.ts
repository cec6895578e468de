import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff, sleep } from '#kernel/backoff'

/** The messages of a node to its supervisor: its loop runs, or it has started to work. */
export type NodeSignal = 'alive' | 'ready'

/** The exit code of a node that could not reach its hub. A restart may succeed. */
export const UNAVAILABLE_CODE = 75

export interface SupervisorOptions {
  /** Starts the node as a process that sends heartbeats. */
  readonly start: () => ChildProcess
  /** The maximum time between heartbeats. */
  readonly hangSeconds: number
  /** Receives one line about each action of the supervisor. */
  readonly onLine: (line: string) => void
}

interface NodeEnd {
  /** The time without heartbeats after which it was ended. */
  silentSeconds: number | undefined
  wasReady: boolean
  code: number | null
  signal: NodeJS.Signals | null
}

const LOOKS = 10
/** The first heartbeat may take longer, since a node first loads its program. */
const LOOKS_AT_START = 10 * LOOKS
const LAST_SIGNALS_MS = 1_000
const PAUSES = { firstMs: 500, longestMs: 60_000 }
/** After this time of work, the pauses before a restart are short again. */
const WORKED_MS = 10 * 60_000

/** Supervises a node: ends it when its loop hangs, and restarts it. Its containers end with it. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #stopped = new AbortController()
  #node: ChildProcess | undefined
  #wasReady = false
  #failures = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Returns the exit code of the node after it was stopped, or failed to start. */
  async run(): Promise<number> {
    for (;;) {
      const startedAt = performance.now()
      const end = await this.#runOnce()
      if (this.#stopped.signal.aborted) {
        return end.code ?? 0
      }
      if (!this.#mayStartAgain(end)) {
        return end.code ?? 1
      }
      const worked = performance.now() - startedAt > WORKED_MS
      this.#failures = worked ? 1 : this.#failures + 1
      this.#options.onLine(`${reasonOf(end)}; it is started again`)
      await sleep(jitteredBackoff(this.#failures, PAUSES), this.#stopped.signal)
      if (this.#stopped.signal.aborted) {
        return 0
      }
    }
  }

  /** Forwards a signal, with which the node ends its runs and itself. */
  stop(signal: NodeJS.Signals): void {
    this.#stopped.abort()
    this.#node?.kill(signal)
  }

  async #runOnce(): Promise<NodeEnd> {
    const node = this.#options.start()
    this.#node = node
    const end: NodeEnd = {
      silentSeconds: undefined,
      wasReady: false,
      code: null,
      signal: null,
    }
    const lookSeconds = this.#options.hangSeconds / LOOKS
    let silentLooks = 0
    let patience = LOOKS_AT_START
    node.on('message', (message: NodeSignal) => {
      silentLooks = 0
      patience = LOOKS
      end.wasReady ||= message === 'ready'
    })
    // Counts checks instead of time, since a suspended machine sends no heartbeats.
    const look = () => {
      silentLooks += 1
      if (silentLooks > patience) {
        end.silentSeconds = patience * lookSeconds
        node.kill('SIGKILL')
      }
    }
    // Its last heartbeats are read before that.
    const disconnected = once(node, 'disconnect')
    const watch = setInterval(look, lookSeconds * 1000)
    try {
      ;[end.code, end.signal] = await once(node, 'exit')
      await Promise.race([disconnected, delay(LAST_SIGNALS_MS, undefined, { ref: false })])
    } finally {
      clearInterval(watch)
      this.#node = undefined
    }
    this.#wasReady ||= end.wasReady
    return end
  }

  /** A node that reports why it cannot start would fail again. */
  #mayStartAgain({ silentSeconds, wasReady, code }: NodeEnd): boolean {
    return silentSeconds !== undefined || wasReady || (this.#wasReady && code === UNAVAILABLE_CODE)
  }
}

function reasonOf({ silentSeconds, code, signal }: NodeEnd): string {
  if (silentSeconds !== undefined) {
    return `The node did nothing for ${silentSeconds} seconds, and was ended with its runs`
  }
  return code === UNAVAILABLE_CODE
    ? 'The hub was away'
    : `The node ended by itself (${signal ?? `code ${code}`}), and its runs with it`
}
