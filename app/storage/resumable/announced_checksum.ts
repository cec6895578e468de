import { createHash, timingSafeEqual } from 'node:crypto'

import { BadRequest } from '#kernel/failures'

export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256', 'sha512']

const HEADER = /^([a-z\d]+) ([\w+/=-]+)$/

/** The checksum that a client announces for the bytes of one request. */
export class AnnouncedChecksum {
  readonly #hash
  readonly #expected: Buffer

  private constructor(algorithm: string, expected: Buffer) {
    this.#hash = createHash(algorithm)
    this.#expected = expected
  }

  /** Parses the header; undefined without one. */
  static from(header: string | undefined): AnnouncedChecksum | undefined {
    if (header === undefined) {
      return undefined
    }
    const [, algorithm = '', digest = ''] = HEADER.exec(header) ?? []
    if (!CHECKSUM_ALGORITHMS.includes(algorithm)) {
      throw new BadRequest(
        `Upload-Checksum must be one of ${CHECKSUM_ALGORITHMS.join(', ')}, a space and the digest in base64`
      )
    }
    return new AnnouncedChecksum(algorithm, Buffer.from(digest, 'base64'))
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  /** Whether the received bytes match. Call it once. */
  matches(): boolean {
    const actual = this.#hash.digest()
    return actual.length === this.#expected.length && timingSafeEqual(actual, this.#expected)
  }
}
