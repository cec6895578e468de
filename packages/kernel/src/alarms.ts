import { clock } from './clock.js'

export interface AlarmListener {
  onAlarm(): void
}

/**
 * Timers shared by all listeners that are due at the same time. One timer per listener takes several times the memory.
 */
export class Alarms {
  readonly #alarms = new Map<number, Alarm>()

  /** The number of distinct due times. */
  get size(): number {
    return this.#alarms.size
  }

  /** Calls the listener once at a time (milliseconds since the epoch), unless it is cancelled on the returned alarm. */
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
