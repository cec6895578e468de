import { NO_REALM } from '#telemetry/trail/statements'

const BETWEEN_CHAINS = '~'
const ENTRY = /^([\w-]{22}|0)\.([\da-z]{1,10})(?:\.([\da-z]{1,6}))?$/
const ID_BYTES = 16

/** The position in one chain: after a batch, and after some events of the next one. */
interface ChainPosition {
  readonly number: number
  readonly offset: number
}

const START: ChainPosition = { number: 0, offset: 0 }

/**
 * The position of a reader of events. Batches become visible in order within a chain, but in any order across
 * chains, so it has an entry for each chain.
 */
export class Position {
  readonly #positions: Map<string, ChainPosition>

  constructor(positions: Iterable<readonly [chain: string, position: ChainPosition]> = []) {
    this.#positions = new Map(positions)
  }

  /** The position after the given batches. Its text is never empty, which a client would not send back. */
  static after(heads: Iterable<{ readonly chain: string; readonly number: number }>): Position {
    return new Position([
      [NO_REALM, START],
      ...Iterator.from(heads).map(({ chain, number }) => [chain, { number, offset: 0 }] as const),
    ])
  }

  /** Parses `text`; undefined if it is malformed. */
  static parse(text: string): Position | undefined {
    const entries = text === '' ? [] : text.split(BETWEEN_CHAINS).map((entry) => ENTRY.exec(entry))
    return entries.every((entry) => entry !== null)
      ? new Position(
          entries.map(([, chain, number, offset = '0']) => [
            expandName(chain!),
            { number: Number.parseInt(number!, 36), offset: Number.parseInt(offset, 36) },
          ])
        )
      : undefined
  }

  /** The cursor for `Last-Event-ID`. */
  get text(): string {
    return [...this.#positions]
      .map(([chain, { number, offset }]) => {
        const position = `${compactName(chain)}.${number.toString(36)}`
        return offset === 0 ? position : `${position}.${offset.toString(36)}`
      })
      .join(BETWEEN_CHAINS)
  }

  /** The last complete batch of each chain. */
  get heads(): { readonly chains: string[]; readonly numbers: number[] } {
    const positions = [...this.#positions.values()]
    return { chains: [...this.#positions.keys()], numbers: positions.map(({ number }) => number) }
  }

  /** How many events of the chain's next batch are behind the position. */
  offsetIn(chain: string): number {
    return (this.#positions.get(chain) ?? START).offset
  }

  advance(chain: string): void {
    const { number, offset } = this.#positions.get(chain) ?? START
    this.#positions.set(chain, { number, offset: offset + 1 })
  }

  advanceBatch(chain: string, number: number): void {
    this.#positions.set(chain, { number, offset: 0 })
  }
}

/** A third of the length of the realm id; the cursor is sent with each event. */
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
