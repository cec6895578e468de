import { Readable } from 'node:stream'

/** A stream of bytes that are all in memory already, for those who need no stream to pass them on. */
export class BufferStream extends Readable {
  readonly content: Buffer

  constructor(content: Buffer) {
    super({ objectMode: false })
    this.content = content
  }

  override _read(): void {
    this.push(this.content)
    this.push(null)
  }
}
