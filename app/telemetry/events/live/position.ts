import { NO_REALM } from '#telemetry/trail/statements'

const BETWEEN_CHAINS = '~'
const ENTRY = /^([\w-]{22}|0)\.([\da-z]{1,10})(?:\.([\da-z]{1,6}))?$/
const ID_BYTES = 16

/** How far a follower has come in one chain: through a batch, and past so many events of the next one. */
interface ChainPosition {
  readonly number: number
  readonly offset: number
}

const START: ChainPosition = { number: 0, offset: 0 }

/**
 * How far a follower of events has come. Batches of a chain become visible in the order of their numbers, and those of
 * different chains in any, so there is a place in each.
 */
export class Position {
  readonly #positions: Map<string, ChainPosition>

  constructor(positions: Iterable<readonly [chain: string, place: ChainPosition]> = []) {
    this.#positions = new Map(positions)
  }

  /** After all batches up to those with these numbers. */
  static after(heads: Iterable<{ readonly chain: string; readonly number: number }>): Position {
    return new Position(
      Iterator.from(heads).map(({ chain, number }) => [chain, { number, passed: 0 }])
    )
  }

  /** Reads what `text` wrote; undefined for anything else. */
  static parse(text: string): Position | undefined {
    const entries = text === '' ? [] : text.split(BETWEEN_CHAINS).map((entry) => ENTRY.exec(entry))
    return entries.every((entry) => entry !== null)
      ? new Position(
          entries.map(([, chain, number, offset = '0']) => [
            expandName(chain!),
            { number: Number.parseInt(number!, 36), passed: Number.parseInt(offset, 36) },
          ])
        )
      : undefined
  }

  /** For those who come back with it. */
  get text(): string {
    return [...this.#positions]
      .map(([chain, { number, offset: passed }]) => {
        const position = `${compactName(chain)}.${number.toString(36)}`
        return passed === 0 ? position : `${position}.${passed.toString(36)}`
      })
      .join(BETWEEN_CHAINS)
  }

  /** The last batch of each chain that is wholly behind. */
  get heads(): { readonly chains: string[]; readonly numbers: number[] } {
    const positions = [...this.#positions.values()]
    return { chains: [...this.#positions.keys()], numbers: positions.map(({ number }) => number) }
  }

  /** How many events of the next batch of a chain are behind. */
  offsetIn(chain: string): number {
    return (this.#positions.get(chain) ?? START).offset
  }

  advance(chain: string): void {
    const { number, offset: passed } = this.#positions.get(chain) ?? START
    this.#positions.set(chain, { number, offset: passed + 1 })
  }

  advanceBatch(chain: string, number: number): void {
    this.#positions.set(chain, { number, offset: 0 })
  }
}

/** A third of the room that the id of a realm takes; it is sent with each event. */
function compactName(chain: string): string {
  return chain === NO_REALM
    ? '0'
    : Buffer.from(chain.replaceAll('-', ''), 'hex').toString('base64url')
}

function expandName(name: string): string {
  if (name === '0') {
    return NO_REALM
  }
  const hex = Buffer.from(name, 'base64url').toString('hex', 0, ID_BYTES)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
