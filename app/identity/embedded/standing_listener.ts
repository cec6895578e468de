import { EVERYBODY } from '#auth/provider'
import { isAdvisoryLockGranted } from '#database/advisory_locks'
import { clock } from '#kernel/clock'
import { identityPool } from './database.js'
import { NotificationListener } from './notifications.js'
import { RollCall } from './roll_call.js'

/** Written by triggers of the tables that say who may do what. */
const CHANNEL = 'identity_standing'
const CALL = 'call '
const ROLL = `hashtextextended('identity standing', 0)`

/** Who listens holds a lock, which goes with the connection: so callers know whose answers there will be. */
const SESSION = `
  set synchronous_commit = off;
  set tcp_keepalives_idle = 5;
  set tcp_keepalives_interval = 2;
  set tcp_keepalives_count = 3;
  select pg_advisory_lock_shared(${ROLL})`

/** What was told before the call reaches each listener before it. */
const CALL_ALL = `
  select pg_notify('${CHANNEL}', $1),
    array(select pid from pg_locks where ${isAdvisoryLockGranted(ROLL)}) as listeners`

const CALL_AGAIN_MS = 250
/** A process that is silent for longer is not waited for. */
const LIMIT_MS = 2_000

/** Hears of what users and clients may do, and says so to those who ask whether it has. */
export class StandingListener {
  readonly #listener: (whose: string) => void
  readonly #notifications: NotificationListener
  readonly #answers = `${CHANNEL}_${clock.uuid().replaceAll('-', '')}`
  readonly #calls = new Map<string, RollCall>()

  constructor(listener: (whose: string) => void) {
    this.#listener = listener
    this.#notifications = new NotificationListener({
      channels: [CHANNEL, this.#answers],
      session: SESSION,
      receive: (payload, channel) => this.#receive(payload, channel),
      onGap: () => listener(EVERYBODY),
    })
  }

  get isListening(): boolean {
    return this.#notifications.isListening
  }

  start(): Promise<void> {
    return this.#notifications.start()
  }

  stop(): Promise<void> {
    return this.#notifications.stop()
  }

  /** Resolves when every listener of every process has heard what was told until now. */
  async allHaveHeard(): Promise<void> {
    const id = clock.uuid()
    const call = new RollCall()
    this.#calls.set(id, call)
    const giveUpAt = performance.now() + LIMIT_MS
    try {
      do {
        const { rows } = await identityPool().query<{ listeners: number[] }>(CALL_ALL, [
          `${CALL}${this.#answers} ${id}`,
        ])
        call.expect(rows[0]!.listeners)
      } while (!(await call.isAnsweredWithin(CALL_AGAIN_MS)) && performance.now() < giveUpAt)
    } catch {
      // It is changed all the same; a process that cannot be told now asks anew when it can.
    } finally {
      this.#calls.delete(id)
    }
  }

  #receive(payload: string, channel: string): void {
    if (channel === this.#answers) {
      const [id, listener] = payload.split(' ')
      this.#calls.get(id!)?.answered(Number(listener))
    } else if (payload.startsWith(CALL)) {
      this.#answer(payload.slice(CALL.length))
    } else {
      this.#listener(payload)
    }
  }

  /** One that only begins to listen knows nobody yet, and answers the next call. */
  #answer(call: string): void {
    const [answers, id] = call.split(' ')
    const { number } = this.#notifications
    if (answers === this.#answers) {
      this.#calls.get(id!)?.answered(number!)
    } else if (number !== undefined) {
      this.#notifications.tell(answers!, `${id} ${number}`)
    }
  }
}
