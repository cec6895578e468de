/*
 * Parses one large body in a thread of its own: the text of an analysis can be such that this takes seconds, and many times
 * its size in memory.
 */
import { parentPort, workerData } from 'node:worker_threads'

import { jsonFields } from './json_fields.js'

export interface JsonRequest {
  readonly bytes: Uint8Array
  readonly names: readonly string[]
}

const { bytes, names } = workerData as JsonRequest
parentPort!.postMessage(jsonFields(Buffer.from(bytes).toString('utf8'), names))
