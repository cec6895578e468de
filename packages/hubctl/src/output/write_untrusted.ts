import { pipeline } from 'node:stream/promises'

import { printableLines } from './printable.js'

/** Writes untrusted bytes to standard output; on a terminal, control characters are replaced. */
export async function writeUntrusted(body: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdout } = process
  await pipeline(stdout.isTTY ? printableChunks(body) : body, stdout, { end: false })
}

async function* printableChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    yield printableLines(decoder.decode(chunk, { stream: true }))
  }
  yield printableLines(decoder.decode())
}
