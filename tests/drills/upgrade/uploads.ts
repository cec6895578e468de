import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { fetchAnew } from '#tests/helpers/http/fetch_anew'
import { answerTo, begin, offsetOf, openPatch, type Speaker } from '#tests/helpers/storage/tus'

const PARTS = 8
/** An upload of either kind takes some seconds, so that one is always under way. */
const PACE: Pace = { partBytes: 256 * 1024, pauseMs: 250 }
/** Requests of which a resumable upload consists. */
const PATCHES = 3
/** A process that stops invites with it to request the offset and to continue at another one. */
const CONTINUE_ELSEWHERE = 408

/** How much is sent at a time, and what is waited before. */
export interface Pace {
  readonly partBytes: number
  readonly pauseMs: number
}

interface SentFile {
  readonly id: string
  readonly digest: string
}

interface StoredFile extends SentFile {
  /** When it was accepted, by `performance.now()`. */
  readonly at: number
}

interface UploaderOptions {
  readonly speaker: Speaker
  readonly bucketId: string
  readonly stopping: AbortSignal
  readonly pace?: Pace
}

/** Uploads files one after the other, slowly, and keeps the digests of those that were accepted. */
abstract class Uploader {
  readonly accepted: StoredFile[] = []
  readonly surprises: string[] = []
  protected readonly options: UploaderOptions
  protected readonly pace: Pace

  constructor(options: UploaderOptions) {
    this.options = options
    this.pace = options.pace ?? PACE
  }

  async run(): Promise<void> {
    for (let number = 1; !this.options.stopping.aborted; number++) {
      try {
        const file = await this.upload(number)
        this.accepted.push({ ...file, at: performance.now() })
      } catch (error) {
        this.surprises.push(`upload ${number}: ${error}`)
        await delay(this.pace.pauseMs)
      }
    }
  }

  /** Reads every accepted file again, and lists those that are not what was sent. */
  async missing(): Promise<string[]> {
    const missing: string[] = []
    for (const { id, digest } of this.accepted) {
      const { base, headers } = this.options.speaker
      const answer = await fetchAnew(`${base}/bucket-files/${id}/stream`, { headers })
      const bytes = new Uint8Array(await answer.arrayBuffer())
      if (answer.status !== 200 || digestOf(bytes) !== digest) {
        missing.push(`${id}: ${answer.status}, ${bytes.length} bytes`)
      }
    }
    return missing
  }

  protected abstract upload(number: number): Promise<SentFile>
}

/** One request for each file, as browsers send forms. */
export class FormUploader extends Uploader {
  protected async upload(number: number): Promise<SentFile> {
    const { speaker, bucketId } = this.options
    const boundary = 'upgrade-0123456789'
    const name = `form-${number}`
    const disposition = `content-disposition: form-data; name="${name}"; filename="${name}"`
    const { pace } = this
    const content = randomBytes(PARTS * pace.partBytes)
    async function* body() {
      yield Buffer.from(`--${boundary}\r\n${disposition}\r\n\r\n`)
      yield* slowly(content, pace)
      yield Buffer.from(`\r\n--${boundary}--\r\n`)
    }
    const init = { method: 'POST', body: ReadableStream.from(body()), duplex: 'half' as const }
    const answer = await fetch(`${speaker.base}/buckets/${bucketId}/upload`, {
      ...init,
      headers: {
        ...speaker.headers,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    })
    const text = await answer.text()
    if (answer.status !== 201) {
      throw new Error(`${answer.status} ${text}`)
    }
    return { id: JSON.parse(text).data[0].id, digest: digestOf(content) }
  }
}

/** Several requests for each file. One that breaks off continues where the hub has got to. */
export class ResumableUploader extends Uploader {
  /** Requests that broke off and were continued. */
  resumed = 0

  protected async upload(number: number): Promise<SentFile> {
    const { speaker, bucketId } = this.options
    const content = randomBytes(PATCHES * this.#patchBytes)
    const path = await begin(speaker, bucketId, `resumable-${number}`, content.length)
    let offset = 0
    while (offset < content.length) {
      const rest = content.subarray(offset, offset + this.#patchBytes)
      offset = await this.#patch(path, offset, rest)
    }
    return { id: path.split('/').at(-1)!, digest: digestOf(content) }
  }

  get #patchBytes(): number {
    return PARTS * this.pace.partBytes
  }

  /** Resolves to the next offset. */
  async #patch(path: string, offset: number, bytes: Buffer): Promise<number> {
    const { speaker } = this.options
    try {
      const request = openPatch(speaker, path, offset, bytes.length)
      const answered = answerTo(request)
      answered.catch(() => {})
      for await (const part of slowly(bytes, this.pace)) {
        request.write(part)
      }
      request.end()
      const { status, headers, body } = await answered
      if (status === 204) {
        return Number(headers['upload-offset'])
      }
      if (status !== CONTINUE_ELSEWHERE) {
        this.surprises.push(`PATCH: ${status} ${JSON.stringify(body)}`)
      }
    } catch {
      // The offset says how much of it was stored.
    }
    this.resumed++
    return offsetOf(speaker, path)
  }
}

async function* slowly(content: Buffer, { partBytes, pauseMs }: Pace): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += partBytes) {
    await delay(pauseMs)
    yield content.subarray(at, at + partBytes)
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
