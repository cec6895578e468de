import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'

import type { OutputStream } from '#node/containers/container_driver'
import { ErrorOutput } from './error_output.js'

const MAX_BYTES = 16 * 1024 ** 2

/** The output of a container. It stays at the node, because it may show data. */
export class OutputLog {
  readonly #file: WriteStream
  #bytes = 0
  /** The end of the error output. */
  readonly errors = new ErrorOutput()

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#file = createWriteStream(path, { mode: 0o600 })
    this.#file.on('error', () => {})
  }

  add(line: string, stream: OutputStream): void {
    if (stream === 'stderr') {
      this.errors.add(line)
    }
    this.#write(line)
  }

  /** Writes a log line of the analysis that is not reported to the hub. */
  addLogLine(level: string, text: string): void {
    this.#write(`${level}: ${text}`)
  }

  async close(): Promise<void> {
    this.#file.end()
    await finished(this.#file).catch(() => {})
  }

  #write(line: string): void {
    this.#bytes += Buffer.byteLength(line) + 1
    if (this.#bytes <= MAX_BYTES) {
      this.#file.write(`${line}\n`)
    }
  }
}
