import { Readable } from 'node:stream'

/** A stream of a buffer, which consumers may also take without streaming. */
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
