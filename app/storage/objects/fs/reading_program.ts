/**
 * A thread that reads small files for the one that started it, one after the other, as long as the disk has them at hand: without a
 * round trip for each, that takes a tenth of the time. It is run as it is, so it imports nothing of ours.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

import type { ReadResponse, ReadRequest } from './reading_thread.js'

/** A disk that needs longer for what is asked at once is asked for the rest by several threads. */
const TIME_BUDGET_MS = 20

parentPort!.on('message', ({ id, paths, sizes }: ReadRequest) => {
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size + 1, 0))
  const deadline = performance.now() + TIME_BUDGET_MS
  let from = 0
  const lengths = paths.map((path, n) => {
    const target = bytes.subarray(from, from + sizes[n]! + 1)
    from += target.length
    return performance.now() < deadline ? readInto(target, path) : undefined
  })
  parentPort!.postMessage({ id, bytes, lengths } satisfies ReadResponse, [bytes.buffer])
})

/** How many bytes there are, up to one more than there should be; undefined where the file cannot be read. */
function readInto(target: Uint8Array, path: string): number | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    let filled = 0
    let count: number
    do {
      count = readSync(file, target, filled, target.length - filled, filled)
      filled += count
    } while (count > 0 && filled < target.length - 1)
    return filled
  } catch {
    return undefined
  } finally {
    if (file !== undefined) {
      closeSync(file)
    }
  }
}
