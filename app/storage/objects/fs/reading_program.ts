/**
 * A worker thread that reads small files sequentially while the disk is fast. That takes a tenth of the time of
 * separate calls. It runs standalone, so it imports no modules of the project.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

import type { ReadResponse, ReadRequest } from './reading_thread.js'

/** If reading takes longer, the caller reads the rest with several threads. */
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

/** Reads a file; returns its size, up to one byte more than expected; undefined if it cannot be read. */
function readInto(target: Uint8Array, path: string): number | undefined {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
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
