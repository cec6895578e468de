import { pipeline } from 'node:stream/promises'

import { shownLines } from './shown.js'

/** Writes what others stored to standard output: as it is for programs, and without what steers a terminal on one. */
export async function writeForeign(body: ReadableStream<Uint8Array>): Promise<void> {
  const { stdout } = process
  await pipeline(stdout.isTTY ? readable(body) : body, stdout, { end: false })
}

async function* readable(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    yield shownLines(text)
  }
}
