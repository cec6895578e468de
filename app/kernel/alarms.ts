import { clock } from './clock.js'

/** Somebody who is woken. */
export interface AlarmListener {
  onAlarm(): void
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
  schedule(listener: AlarmListener, time: number): Alarm {
    let alarm = this.#alarms.get(time)
    if (!alarm) {
      alarm = new Alarm(time, this.#alarms)
      this.#alarms.set(time, alarm)
    }
    alarm.add(listener)
    return alarm
  }
}

export class Alarm {
  readonly #time: number
  readonly #alarms: Map<number, Alarm>
  readonly #listeners = new Set<AlarmListener>()
  readonly #timer: NodeJS.Timeout

  constructor(time: number, alarms: Map<number, Alarm>) {
    this.#time = time
    this.#alarms = alarms
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, time - clock.now())).unref()
  }

  add(listener: AlarmListener): void {
    this.#listeners.add(listener)
  }

  /** Lets somebody sleep on. */
  cancel(listener: AlarmListener): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) {
      clearTimeout(this.#timer)
      this.#unregister()
    }
  }

  #fire(): void {
    this.#unregister()
    this.#listeners.forEach((listener) => listener.onAlarm())
  }

  #unregister(): void {
    if (this.#alarms.get(this.#time) === this) {
      this.#alarms.delete(this.#time)
    }
  }
}
