import { EVERYBODY } from '#auth/provider'
import { isAdvisoryLockGranted } from '#database/advisory_locks'
import { clock } from '#kernel/clock'
import { identityPool } from './database.js'
import { NotificationListener } from './notification_listener.js'
import { Acknowledgements } from './acknowledgements.js'

/** Written by triggers of the tables that say who may do what. */
const CHANNEL = 'identity_standing'
const PING_PREFIX = 'call '
const LISTENERS_LOCK = `hashtextextended('identity standing', 0)`

/** Who listens holds a lock, which goes with the connection: so callers know whose answers there will be. */
const SESSION = `
  set synchronous_commit = off;
  set tcp_keepalives_idle = 5;
  set tcp_keepalives_interval = 2;
  set tcp_keepalives_count = 3;
  select pg_advisory_lock_shared(${LISTENERS_LOCK})`

/** What was told before the call reaches each listener before it. */
const PING_ALL = `
  select pg_notify('${CHANNEL}', $1),
    array(select pid from pg_locks where ${isAdvisoryLockGranted(LISTENERS_LOCK)}) as listeners`

const PING_INTERVAL_MS = 250
/** A process that is silent for longer is not waited for. */
const TIMEOUT_MS = 2_000

/** Hears of what users and clients may do, and says so to those who ask whether it has. */
export class AccessChangeListener {
  readonly #listener: (whose: string) => void
  readonly #notifications: NotificationListener
  readonly #replyChannel = `${CHANNEL}_${clock.uuid().replaceAll('-', '')}`
  readonly #pings = new Map<string, Acknowledgements>()

  constructor(listener: (whose: string) => void) {
    this.#listener = listener
    this.#notifications = new NotificationListener({
      channels: [CHANNEL, this.#replyChannel],
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
  async changesDelivered(): Promise<void> {
    const id = clock.uuid()
    const ping = new Acknowledgements()
    this.#pings.set(id, ping)
    const deadline = performance.now() + TIMEOUT_MS
    try {
      do {
        const { rows } = await identityPool().query<{ listeners: number[] }>(PING_ALL, [
          `${PING_PREFIX}${this.#replyChannel} ${id}`,
        ])
        ping.expect(rows[0]!.listeners)
      } while (!(await ping.areCompleteWithin(PING_INTERVAL_MS)) && performance.now() < deadline)
    } catch {
      // It is changed all the same; a process that cannot be told now asks anew when it can.
    } finally {
      this.#pings.delete(id)
    }
  }

  #receive(payload: string, channel: string): void {
    if (channel === this.#replyChannel) {
      const [id, listener] = payload.split(' ')
      this.#pings.get(id!)?.add(Number(listener))
    } else if (payload.startsWith(PING_PREFIX)) {
      this.#reply(payload.slice(PING_PREFIX.length))
    } else {
      this.#listener(payload)
    }
  }

  /** One that only begins to listen knows nobody yet, and answers the next call. */
  #reply(ping: string): void {
    const [replyChannel, id] = ping.split(' ')
    const { backendPid: number } = this.#notifications
    if (replyChannel === this.#replyChannel) {
      this.#pings.get(id!)?.add(number!)
    } else if (number !== undefined) {
      this.#notifications.notify(replyChannel!, `${id} ${number}`)
    }
  }
}
