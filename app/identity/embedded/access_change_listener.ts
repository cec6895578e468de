import { ALL_IDS } from '#auth/provider'
import { isAdvisoryLockGranted } from '#database/advisory_locks'
import { clock } from '#kernel/clock'
import { identityPool } from './database.js'
import { NotificationListener } from './notification_listener.js'
import { Acknowledgements } from './acknowledgements.js'

/** Notified by triggers of the tables that determine access. */
const CHANNEL = 'identity_access'
const PING_PREFIX = 'call '
const LISTENERS_LOCK = `hashtextextended('identity access', 0)`

/** Each listener takes a shared lock, which ends with its connection. So senders know which replies to expect. */
const SESSION = `
  set synchronous_commit = off;
  select pg_advisory_lock_shared(${LISTENERS_LOCK})`

/** NOTIFY is ordered: earlier changes reach each listener before the ping. */
const PING_ALL = `
  select pg_notify('${CHANNEL}', $1),
    array(select pid from pg_locks where ${isAdvisoryLockGranted(LISTENERS_LOCK)}) as listeners`

const PING_INTERVAL_MS = 250
/** A process that does not reply within this time is not waited for. */
const TIMEOUT_MS = 2_000

/** Receives changes of access, and acknowledges pings of processes that wait for their delivery. */
export class AccessChangeListener {
  readonly #listener: (id: string) => void
  readonly #notifications: NotificationListener
  readonly #replyChannel = `${CHANNEL}_${clock.uuid().replaceAll('-', '')}`
  readonly #pings = new Map<string, Acknowledgements>()

  constructor(listener: (id: string) => void) {
    this.#listener = listener
    this.#notifications = new NotificationListener({
      channels: [CHANNEL, this.#replyChannel],
      session: SESSION,
      receive: (payload, channel) => this.#receive(payload, channel),
      onGap: () => listener(ALL_IDS),
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

  /** Resolves when every listener in every process has received all earlier changes. */
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
      // The change is committed anyway. A process that cannot be reached now reloads when it reconnects.
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

  /** A listener that just connects has no cached state, and replies to the next ping. */
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
