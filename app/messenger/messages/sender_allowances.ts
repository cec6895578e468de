import type { DatabasePool } from '#database/database_pool'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import { SENDER_RETRY_SECONDS } from './errors.js'
import {
  pendingBytes,
  ROW_BYTES,
  type NewMessage,
  type Reservation,
  type MessageQuotas,
} from './store_messages.js'

/**
 * The share of a limit that a process reserves for a sender at a time, so that few messages update the shared row.
 */
const RESERVED_SHARE = 1 / 64
const MAX_SENDERS = 10_000

/** Recounts the pending messages of a sender. Returns false if any process did so within the last seconds. */
export async function recountSender(pool: DatabasePool, { type, id }: Party): Promise<boolean> {
  const { rows } = await pool.query<{ counted: boolean }>({
    name: 'recount-sender',
    text: `select recount_sender($1, $2, $3, make_interval(secs => $4)) as counted`,
    values: [type, id, ROW_BYTES, SENDER_RETRY_SECONDS],
  })
  return rows[0]!.counted
}

/** Senders over their limit, which are rejected for some seconds without a statement. */
export class RefusedSenders {
  readonly #until = new Map<string, number>()

  add(sender: Party): void {
    const now = performance.now()
    this.#until.forEach((until, key) => until <= now && this.#until.delete(key))
    this.#until.set(keyOf(sender), now + SENDER_RETRY_SECONDS * 1_000)
  }

  has(sender: Party): boolean {
    return this.#until.size > 0 && (this.#until.get(keyOf(sender)) ?? 0) > performance.now()
  }
}

interface Amount {
  messages: number
  bytes: number
}

/** What a batch takes from the allowance of a sender, and what has to be reserved in the database. */
interface Allocation {
  readonly reservation: Reservation
  readonly need: Amount
  readonly spent: Amount
}

/**
 * What this process may still send for each sender before it has to reserve more. An allowance that is evicted
 * stays reserved until the sender is recounted.
 */
export class SenderAllowances {
  readonly #quotas: MessageQuotas
  readonly #allowances = new Map<string, Amount>()

  constructor(quotas: MessageQuotas) {
    this.#quotas = quotas
  }

  /** Allocates what the messages need. Call `settle` once they are stored or failed. */
  allocate(messages: readonly NewMessage[]): readonly Allocation[] {
    const { senderMaxMessages, senderMaxBytes } = this.#quotas
    const needs = new Map<string, { sender: Party; need: Amount }>()
    for (const message of messages) {
      const key = keyOf(message.sender)
      const { need } = needs.get(key) ?? { need: { messages: 0, bytes: 0 } }
      need.messages += senderMaxMessages > 0 ? message.recipients.length : 0
      need.bytes += senderMaxBytes > 0 ? pendingBytes(message) : 0
      needs.set(key, { sender: message.sender, need })
    }
    return [...needs].map(([key, { sender, need }]) => this.#allocateFor(key, sender, need))
  }

  settle(allocations: readonly Allocation[], isStored: boolean): void {
    if (this.#allowances.size > MAX_SENDERS) {
      this.#allowances.clear()
    }
    for (const { reservation, need, spent } of allocations) {
      const allowance = this.#allowanceOf(keyOf(reservation.sender))
      allowance.messages += spent.messages
      allowance.bytes += spent.bytes
      if (isStored) {
        allowance.messages += reservation.messages - need.messages
        allowance.bytes += reservation.bytes - need.bytes
      }
    }
  }

  #allocateFor(key: string, sender: Party, need: Amount): Allocation {
    const { senderMaxMessages, senderMaxBytes } = this.#quotas
    const allowance = this.#allowanceOf(key)
    const spent = {
      messages: Math.min(allowance.messages, need.messages),
      bytes: Math.min(allowance.bytes, need.bytes),
    }
    allowance.messages -= spent.messages
    allowance.bytes -= spent.bytes
    const reserve = (missing: number, limit: number) =>
      missing === 0 ? 0 : Math.max(missing, Math.floor(limit * RESERVED_SHARE))
    const reservation = {
      sender,
      messages: reserve(need.messages - spent.messages, senderMaxMessages),
      bytes: reserve(need.bytes - spent.bytes, senderMaxBytes),
    }
    return { reservation, need, spent }
  }

  #allowanceOf(key: string): Amount {
    const allowance = this.#allowances.get(key) ?? { messages: 0, bytes: 0 }
    this.#allowances.set(key, allowance)
    return allowance
  }
}

/** The reservations that the database has to record. */
export const reservationsOf = (allocations: readonly Allocation[]): readonly Reservation[] =>
  allocations
    .map(({ reservation }) => reservation)
    .filter(({ messages, bytes }) => messages > 0 || bytes > 0)
