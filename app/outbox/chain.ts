import type { Entry } from './entry.js'

/** An entry on its way to one destination. */
interface Link {
  readonly entry: Entry
  state: 'waiting' | 'sent' | 'arrived' | 'failed'
}

interface ChainOptions {
  send(entry: Entry): Promise<void>
  /** Told of each entry that arrived, once all before it have. */
  onSettled(entry: Entry): void
  onArrival(): void
  onFailure(error: unknown): void
  onReturn(): void
}

/**
 * The entries of one record on their way to one destination. They are sent without waiting for each other; when one fails,
 * those behind it are sent again after it, also the ones that had arrived.
 */
export class Chain {
  readonly #options: ChainOptions
  readonly #links: Link[] = []
  #underWay = 0
  #isBroken = false

  constructor(options: ChainOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#links.length === 0
  }

  add(entry: Entry): void {
    this.#links.push({ entry, state: 'waiting' })
  }

  /** Sends what waits. After a failure that is everything from there on, as soon as nothing is under way any more. */
  advance(): void {
    if (this.#isBroken) {
      if (this.#underWay > 0) {
        return
      }
      this.#isBroken = false
      this.#links.forEach((link) => (link.state = 'waiting'))
    }
    this.#links.filter(({ state }) => state === 'waiting').forEach((link) => this.#send(link))
  }

  #send(link: Link): void {
    link.state = 'sent'
    this.#underWay++
    this.#options.send(link.entry).then(
      () => this.#arrived(link),
      (error) => this.#failed(link, error)
    )
  }

  #arrived(link: Link): void {
    this.#underWay--
    link.state = 'arrived'
    this.#options.onArrival()
    while (this.#links[0]?.state === 'arrived') {
      this.#options.onSettled(this.#links.shift()!.entry)
    }
    this.#options.onReturn()
  }

  #failed(link: Link, error: unknown): void {
    this.#underWay--
    link.state = 'failed'
    this.#isBroken = true
    this.#options.onFailure(error)
    this.#options.onReturn()
  }
}
