import { clock } from './clock.js'

/** Somebody who is woken. */
export interface Sleeper {
  wake(): void
}

/**
 * Wakes many, each at its time. A timer of its own takes several times the memory for each, so those whose time is the same share
 * one.
 */
export class Alarms {
  readonly #alarms = new Map<number, Alarm>()

  /** How many times there are at which somebody is woken. */
  get size(): number {
    return this.#alarms.size
  }

  /** Wakes somebody once at a time (milliseconds since 1970), unless the alarm that is returned is told not to. */
  wake(sleeper: Sleeper, time: number): Alarm {
    let alarm = this.#alarms.get(time)
    if (!alarm) {
      alarm = new Alarm(time, this.#alarms)
      this.#alarms.set(time, alarm)
    }
    alarm.add(sleeper)
    return alarm
  }
}

export class Alarm {
  readonly #time: number
  readonly #alarms: Map<number, Alarm>
  readonly #sleepers = new Set<Sleeper>()
  readonly #timer: NodeJS.Timeout

  constructor(time: number, alarms: Map<number, Alarm>) {
    this.#time = time
    this.#alarms = alarms
    this.#timer = setTimeout(() => this.#ring(), Math.max(0, time - clock.now())).unref()
  }

  add(sleeper: Sleeper): void {
    this.#sleepers.add(sleeper)
  }

  /** Lets somebody sleep on. */
  spare(sleeper: Sleeper): void {
    if (this.#sleepers.delete(sleeper) && this.#sleepers.size === 0) {
      clearTimeout(this.#timer)
      this.#isOver()
    }
  }

  #ring(): void {
    this.#isOver()
    this.#sleepers.forEach((sleeper) => sleeper.wake())
  }

  #isOver(): void {
    if (this.#alarms.get(this.#time) === this) {
      this.#alarms.delete(this.#time)
    }
  }
}
