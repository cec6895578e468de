import { Duplex } from 'node:stream'

/** A connection without a network. */
export class FakeSocket extends Duplex {
  readonly remoteAddress: string

  constructor(remoteAddress = '192.0.2.1') {
    super()
    this.remoteAddress = remoteAddress
  }

  /** As that of a socket, whose own timers a test cannot fire. */
  setTimeout(milliseconds: number, onTimeout: () => void): void {
    const timer = setTimeout(onTimeout, milliseconds)
    this.once('close', () => clearTimeout(timer))
  }

  override _read(): void {}
}
