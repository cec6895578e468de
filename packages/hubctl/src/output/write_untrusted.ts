import { pipeline } from 'node:stream/promises'

import { printableLines } from './printable.js'

/** Writes untrusted bytes to standard output; on a terminal, control characters are replaced. */
export async function writeUntrusted(body: ReadableStream<Uint8Array>): Promise<void> {
  const { stdout } = process
  await pipeline(stdout.isTTY ? printableChunks(body) : body, stdout, { end: false })
}

async function* printableChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    yield printableLines(text)
  }
}
