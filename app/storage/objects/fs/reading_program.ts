/**
 * A thread that reads small files for the one that started it, one after the other, as long as the disk has them at hand: without a
 * round trip for each, that takes a tenth of the time. It is run as it is, so it imports nothing of ours.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

import type { Answered, Asked } from './reading_thread.js'

/** A disk that needs longer for what is asked at once is asked for the rest by several threads. */
const WITHIN_MS = 20

parentPort!.on('message', ({ id, paths, sizes }: Asked) => {
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size + 1, 0))
  const ends = performance.now() + WITHIN_MS
  let from = 0
  const lengths = paths.map((path, n) => {
    const place = bytes.subarray(from, from + sizes[n]! + 1)
    from += place.length
    return performance.now() < ends ? readInto(place, path) : undefined
  })
  parentPort!.postMessage({ id, bytes, lengths } satisfies Answered, [bytes.buffer])
})

/** How many bytes there are, up to one more than there should be; undefined where the file cannot be read. */
function readInto(place: Uint8Array, path: string): number | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    let filled = 0
    let count: number
    do {
      count = readSync(file, place, filled, place.length - filled, filled)
      filled += count
    } while (count > 0 && filled < place.length - 1)
    return filled
  } catch {
    return undefined
  } finally {
    if (file !== undefined) {
      closeSync(file)
    }
  }
}
