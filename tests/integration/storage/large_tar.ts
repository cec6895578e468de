import { Readable } from 'node:stream'

import { tarStream } from '#storage/tar/tar_stream'

const MIB = 1024 * 1024
const PIECE = 64 * 1024
const LOOK_EVERY = 50 * MIB

/*
 * Makes a tar of 20,000 files and a thousand MiB in a process of its own, and says what it kept of it: what is in use after a
 * collection, beyond what was in use before.
 */

let opened = 0
let bytes = 0
let mostUnderWay = 0
let mostRetained = 0

async function* zeros(size: number) {
  for (let remaining = size; remaining > 0; remaining -= PIECE) {
    const chunk = Buffer.alloc(Math.min(remaining, PIECE))
    opened += chunk.length
    yield chunk
  }
}

async function* entries() {
  for (let n = 0; n < 20_000; n++) {
    const size = n % 1000 === 0 ? 50 * MIB : 10
    const about = { path: `${n}`, size, sha256: null, modifiedAt: new Date(0) }
    yield { ...about, open: async () => Readable.from(zeros(size)) }
  }
}

function memoryInUse(): number {
  // Memory that the first collection releases is returned by the second at the latest.
  globalThis.gc!()
  globalThis.gc!()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const before = memoryInUse()
for await (const chunk of tarStream(Readable.from(entries()))) {
  const isTimeToMeasure = bytes % LOOK_EVERY > (bytes + chunk.length) % LOOK_EVERY
  bytes += chunk.length
  mostUnderWay = Math.max(mostUnderWay, opened - bytes)
  mostRetained = isTimeToMeasure ? Math.max(mostRetained, memoryInUse() - before) : mostRetained
}
console.log(JSON.stringify({ bytes, mostUnderWay, mostKept: mostRetained }))
