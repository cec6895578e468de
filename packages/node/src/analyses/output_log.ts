import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'

import type { OutputStream } from '#node/containers/container_driver'

const MAX_BYTES = 16 * 1024 ** 2

/** What a container prints. It stays at the node, because it may show data. */
export class OutputLog {
  readonly #file: WriteStream
  #bytes = 0
  #lastError: string | undefined

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#file = createWriteStream(path, { mode: 0o600 })
    this.#file.on('error', () => {})
  }

  /** The last line of error output. */
  get lastError(): string | undefined {
    return this.#lastError
  }

  add(line: string, stream: OutputStream): void {
    if (stream === 'stderr' && line.trim() !== '') {
      this.#lastError = line
    }
    this.#bytes += Buffer.byteLength(line) + 1
    if (this.#bytes <= MAX_BYTES) {
      this.#file.write(`${line}\n`)
    }
  }

  async close(): Promise<void> {
    this.#file.end()
    await finished(this.#file).catch(() => {})
  }
}
