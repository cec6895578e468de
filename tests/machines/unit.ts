import { setTimeout as delay } from 'node:timers/promises'

import type { Host } from './network.js'

const LOOK_AGAIN_MS = 200
/** `RestartSec` of a unit. */
const RESTART_AFTER_MS = 1_000

/** Processes that work together on a host. */
export interface Service {
  readonly isRunning: boolean
  /** Starts all of them, and resolves when they serve. */
  start(): Promise<unknown>
  /** As an administrator stops it; does not wait. */
  askToEnd(): void
  /** Sends a signal to each process and tells how many there were. */
  signal(name: NodeJS.Signals): number
  /** Resolves when none of its processes runs any more, until `SIGCONT`. */
  pause(): Promise<void>
  /** Ends all of them in good order and removes what they stored. */
  remove(): Promise<unknown>
}

/** Keeps a service of a host running as systemd does with `Restart=always`. */
export class Unit {
  readonly name: string
  readonly host: Host
  /** How often it was started after it had ended by itself. */
  restarts = 0
  readonly #service: Service
  #isOn = true
  #isRemoved = false
  readonly #keeping: Promise<void>

  constructor(name: string, host: Host, service: Service) {
    this.name = name
    this.host = host
    this.#service = service
    this.#keeping = this.#keepRunning()
  }

  /** Whether all of its processes run. */
  get isRunning(): boolean {
    return this.#service.isRunning
  }

  /** SIGKILL to all processes; none is started until `switchOn`. */
  async switchOff(): Promise<void> {
    this.#isOn = false
    while (this.#service.signal('SIGKILL') > 0) {
      await delay(10)
    }
  }

  /** As if the host had booted. */
  switchOn(): void {
    this.#isOn = true
  }

  /** Ends the service in good order, after which it is started again. */
  stop(): void {
    this.#service.askToEnd()
  }

  /** SIGKILL to all processes, after which they are started again. */
  crash(): void {
    this.#service.signal('SIGKILL')
  }

  pause(): Promise<void> {
    return this.#service.pause()
  }

  resume(): void {
    this.#service.signal('SIGCONT')
  }

  async remove(): Promise<void> {
    this.#isRemoved = true
    await this.switchOff()
    await this.#keeping
    await this.#service.remove()
  }

  async #keepRunning(): Promise<void> {
    while (!this.#isRemoved) {
      await delay(LOOK_AGAIN_MS)
      if (this.#isOn && !this.#service.isRunning) {
        this.restarts++
        await delay(RESTART_AFTER_MS)
        await this.#start()
      }
    }
  }

  /** One that ends before it serves is started again. */
  async #start(): Promise<void> {
    if (this.#isOn && !this.#isRemoved) {
      await this.#service.start().catch(() => {})
    }
  }
}
