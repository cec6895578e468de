import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

import { readBounded } from '#kernel/read_bounded'

import { GatewayError } from './errors.js'
import { jsonFields, type JsonFields } from './json_fields.js'
import type { JsonRequest } from './json_program.js'
import { bodyOf } from './request_body.js'
import { TaskLimit } from './task_limit.js'

const PROGRAM = fileURLToPath(new URL(`./json_program${extname(import.meta.url)}`, import.meta.url))
const SMALL_BYTES = 16 * 1024
/** Objects, arrays and properties of a text that is parsed on the event loop. */
const SIMPLE_PARTS = 256
const PART_STARTS = new Set(Buffer.from('{[:'))
/** The memory for the worst text of a message, with a margin. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }
const PARSE_MS = 60_000
const MAX_LARGE = 2

/** Parses the bodies of one analysis. Large ones are parsed in a thread, a few at a time. */
export class JsonBodies {
  readonly #large = new TaskLimit(MAX_LARGE)

  /** Reads fields of a JSON object of limited size, and handles them. */
  async withFields<T>(
    request: IncomingMessage,
    { maxBytes, names }: { readonly maxBytes: number; readonly names: readonly string[] },
    use: (fields: JsonFields) => Promise<T> | T
  ): Promise<T> {
    const announced = Number(request.headers['content-length'] ?? maxBytes)
    if (announced > maxBytes) {
      throw tooLarge(maxBytes)
    }
    const read = () => readBounded(bodyOf(request), maxBytes, () => tooLarge(maxBytes))
    if (announced > SMALL_BYTES) {
      return this.#large.run(async () => {
        const body = await read()
        return use(requireFields(await (isSimple(body) ? parse : parseApart)(body, names)))
      })
    }
    const body = await read()
    const fields = isSimple(body)
      ? parse(body, names)
      : await this.#large.run(() => parseApart(body, names))
    return use(requireFields(fields))
  }
}

/** Whether it is parsed in less than a millisecond. A deeply nested text of the same size takes 40. */
function isSimple(body: Buffer): boolean {
  let left = body.length <= SMALL_BYTES ? SIMPLE_PARTS : 0
  for (let at = 0; at < body.length && left > 0; at += 1) {
    left -= PART_STARTS.has(body[at]!) ? 1 : 0
  }
  return left > 0
}

const parse = (body: Buffer, names: readonly string[]): JsonFields | undefined =>
  jsonFields(body.toString('utf8'), names)

function requireFields(fields: JsonFields | undefined): JsonFields {
  if (!fields) {
    throw new GatewayError(400, 'The body is not a JSON object')
  }
  return fields
}

async function parseApart(body: Buffer, names: readonly string[]): Promise<JsonFields | undefined> {
  const workerData: JsonRequest = { bytes: body, names }
  const worker = new Worker(PROGRAM, { workerData, resourceLimits: MEMORY })
  const limit = AbortSignal.timeout(PARSE_MS)
  try {
    const [fields] = await once(worker, 'message', { signal: limit })
    return fields as JsonFields | undefined
  } catch {
    throw new GatewayError(413, 'The body takes more memory or time than a node has for it')
  } finally {
    await worker.terminate()
  }
}

const tooLarge = (maxBytes: number) =>
  new GatewayError(413, `The body has more than ${maxBytes} bytes`)
