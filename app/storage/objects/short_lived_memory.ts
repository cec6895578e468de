import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * The buffers of a stream are dead as soon as they have passed, but small objects to the engine, however large what they stand
 * for: it looks for them only when much has gathered, and then through the whole heap, again and again. Looking through the
 * youngest objects early takes 2 ms each time; with it, the whole heap is looked through six times where it was a hundred.
 */
const PASSED_BYTES = 6 * 1024 ** 2

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void
setFlagsFromString('--no-expose-gc')

let passed = 0

/** Is told of bytes that were copied from one stream to another, so that the memory they took is soon free again. */
export function notePassed(bytes: number): void {
  passed += bytes
  if (passed < PASSED_BYTES) return
  passed = 0
  collect({ type: 'minor' })
}
