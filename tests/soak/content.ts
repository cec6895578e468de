import { createHash, randomBytes } from 'node:crypto'

export const MIB = 1024 ** 2

const base = randomBytes(MIB)

/** Generated file content of any size: each MiB carries its number, so nothing is stored. */
export class Content {
  readonly size: number
  readonly #name: number

  constructor(mib: number, name = 0) {
    this.size = mib * MIB
    this.#name = name
  }

  *blocks(): Generator<Buffer> {
    for (let n = 0; n * MIB < this.size; n++) {
      yield this.#block(n)
    }
  }

  slice(start: number, end: number): Buffer {
    const first = Math.floor(start / MIB)
    const last = Math.floor((end - 1) / MIB)
    const blocks = Array.from({ length: last - first + 1 }, (_, n) => this.#block(first + n))
    return Buffer.concat(blocks).subarray(start - first * MIB, end - first * MIB)
  }

  digest(): string {
    const hash = createHash('sha256')
    for (const block of this.blocks()) {
      hash.update(block)
    }
    return hash.digest('hex')
  }

  #block(n: number): Buffer {
    const block = Buffer.from(base)
    block.writeUInt32LE(n, 0)
    block.writeUInt32LE(this.#name, 4)
    return block
  }
}
