import type { Entry } from './entry.js'

/** An entry and the state of its delivery. */
interface DeliveryItem {
  readonly entry: Entry
  state: 'waiting' | 'sent' | 'arrived' | 'failed'
}

interface DeliveryOptions {
  send(entry: Entry): Promise<void>
  /** Called for each delivered entry, in order. */
  onSettled(entry: Entry): void
  onArrival(): void
  onFailure(error: unknown): void
  onReturn(): void
}

/**
 * Delivers the entries of one record to one destination. Sends are concurrent; after a failure, the failed entry and
 * all later ones are sent again, including those that had arrived.
 */
export class OrderedDelivery {
  readonly #options: DeliveryOptions
  readonly #items: DeliveryItem[] = []
  #inFlight = 0
  #isBroken = false

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  add(entry: Entry): void {
    this.#items.push({ entry, state: 'waiting' })
  }

  /** Sends waiting entries. After a failure it waits until nothing is in flight and resends all. */
  advance(): void {
    if (this.#isBroken) {
      if (this.#inFlight > 0) {
        return
      }
      this.#isBroken = false
      this.#items.forEach((item) => (item.state = 'waiting'))
    }
    this.#items.filter(({ state }) => state === 'waiting').forEach((item) => this.#send(item))
  }

  #send(item: DeliveryItem): void {
    item.state = 'sent'
    this.#inFlight++
    this.#options.send(item.entry).then(
      () => this.#arrived(item),
      (error) => this.#failed(item, error)
    )
  }

  #arrived(item: DeliveryItem): void {
    this.#inFlight--
    item.state = 'arrived'
    this.#options.onArrival()
    while (this.#items[0]?.state === 'arrived') {
      this.#options.onSettled(this.#items.shift()!.entry)
    }
    this.#options.onReturn()
  }

  #failed(item: DeliveryItem, error: unknown): void {
    this.#inFlight--
    item.state = 'failed'
    this.#isBroken = true
    this.#options.onFailure(error)
    this.#options.onReturn()
  }
}
