import type { Readable, Writable } from 'node:stream'

export interface Digested {
  size: number
  sha256: string
}

/** The least that copies between a connection and a store: streams and pipelines, and nothing around them. */
export interface BarePipelines {
  upload(source: Readable, key: string): Promise<Digested>
  download(key: string, target: Writable): Promise<void>
  tar(keys: string[]): AsyncIterable<Uint8Array>
}

/** A plain tar header without checks. */
export function bareHeader(path: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  header.write(path, 0)
  header.write('0000755\0' + '0000000\0'.repeat(2), 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0        0`, 124)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
