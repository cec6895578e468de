/** A message as its recipient gets it. */
export interface Delivered {
  readonly id: string
  readonly createdAt: string
  readonly data: { readonly sender: number; readonly number: number }
}

export interface Counts {
  readonly accepted: number
  readonly delivered: number
  /** Answered with 202, and never pulled by its recipient. */
  readonly lost: number
  /** Pulled first after one that was sent or stored later. */
  readonly outOfOrder: number
  /** Under two ids, though sent with one key. */
  readonly duplicates: number
  /** Pulled once more after the acknowledgement was answered. */
  readonly returned: number
}

interface Mailbox {
  readonly accepted: Set<string>
  /** By what the sender calls it, the id it was first pulled with. */
  readonly delivered: Map<string, string>
  readonly acknowledged: Set<string>
  readonly lastOf: Map<number, number>
  last: string
  outOfOrder: number
  duplicates: number
  returned: number
}

/**
 * The messages that senders got confirmed, and those that recipients received.
 */
export class Ledger {
  /** When each message was accepted, by `performance.now()`. */
  readonly acceptedAt: number[] = []
  readonly #mailboxes: readonly Mailbox[]

  constructor(recipients: number) {
    this.#mailboxes = Array.from({ length: recipients }, () => ({
      accepted: new Set<string>(),
      delivered: new Map<string, string>(),
      acknowledged: new Set<string>(),
      lastOf: new Map<number, number>(),
      last: '',
      outOfOrder: 0,
      duplicates: 0,
      returned: 0,
    }))
  }

  noteAccepted(recipient: number, { sender, number }: Delivered['data']): void {
    this.acceptedAt.push(performance.now())
    this.#mailboxes[recipient]!.accepted.add(`${sender}.${number}`)
  }

  notePulled(recipient: number, messages: readonly Delivered[]): void {
    const mailbox = this.#mailboxes[recipient]!
    messages.forEach((message) => pulled(mailbox, message))
  }

  noteAcknowledged(recipient: number, ids: readonly string[]): void {
    ids.forEach((id) => this.#mailboxes[recipient]!.acknowledged.add(id))
  }

  get counts(): Counts {
    const sum = (of: (mailbox: Mailbox) => number) =>
      this.#mailboxes.reduce((all, mailbox) => all + of(mailbox), 0)
    return {
      accepted: sum(({ accepted }) => accepted.size),
      delivered: sum(({ delivered }) => delivered.size),
      lost: sum(
        ({ accepted, delivered }) => [...accepted].filter((each) => !delivered.has(each)).length
      ),
      outOfOrder: sum(({ outOfOrder }) => outOfOrder),
      duplicates: sum(({ duplicates }) => duplicates),
      returned: sum(({ returned }) => returned),
    }
  }
}

function pulled(mailbox: Mailbox, { id, createdAt, data: { sender, number } }: Delivered): void {
  const label = `${sender}.${number}`
  const known = mailbox.delivered.get(label)
  if (mailbox.acknowledged.has(id)) {
    mailbox.returned += 1
  }
  if (known !== undefined) {
    mailbox.duplicates += known === id ? 0 : 1
    return
  }
  mailbox.delivered.set(label, id)
  if (number < (mailbox.lastOf.get(sender) ?? 0) || createdAt < mailbox.last) {
    mailbox.outOfOrder += 1
  }
  mailbox.lastOf.set(sender, number)
  mailbox.last = createdAt
}
