import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { answerTo, begin, offsetOf, openPatch, type Speaker } from '#tests/helpers/storage/tus'

const PART_BYTES = 256 * 1024
const PARTS = 8
/** An upload of either kind takes some seconds, so that one is always under way. */
const PAUSE_MS = 250
/** Requests of which a resumable upload consists. */
const PATCHES = 3
/** A process that stops invites with it to request the offset and to continue at another one. */
const CONTINUE_ELSEWHERE = 408

interface StoredFile {
  readonly id: string
  readonly digest: string
}

interface UploaderOptions {
  readonly speaker: Speaker
  readonly bucketId: string
  readonly stopping: AbortSignal
}

/** Uploads files one after the other, slowly, and keeps the digests of those that were accepted. */
abstract class Uploader {
  readonly accepted: StoredFile[] = []
  readonly surprises: string[] = []
  protected readonly options: UploaderOptions

  constructor(options: UploaderOptions) {
    this.options = options
  }

  async run(): Promise<void> {
    for (let number = 1; !this.options.stopping.aborted; number++) {
      try {
        this.accepted.push(await this.upload(number))
      } catch (error) {
        this.surprises.push(`upload ${number}: ${error}`)
        await delay(PAUSE_MS)
      }
    }
  }

  /** Reads every accepted file again, and lists those that are not what was sent. */
  async missing(): Promise<string[]> {
    const missing: string[] = []
    for (const { id, digest } of this.accepted) {
      const { base, headers } = this.options.speaker
      const answer = await fetch(`${base}/bucket-files/${id}/stream`, { headers })
      const bytes = new Uint8Array(await answer.arrayBuffer())
      if (answer.status !== 200 || digestOf(bytes) !== digest) {
        missing.push(`${id}: ${answer.status}, ${bytes.length} bytes`)
      }
    }
    return missing
  }

  protected abstract upload(number: number): Promise<StoredFile>
}

/** One request for each file, as browsers send forms. */
export class FormUploader extends Uploader {
  protected async upload(number: number): Promise<StoredFile> {
    const { speaker, bucketId } = this.options
    const boundary = 'upgrade-0123456789'
    const name = `form-${number}`
    const disposition = `content-disposition: form-data; name="${name}"; filename="${name}"`
    const content = randomBytes(PARTS * PART_BYTES)
    async function* body() {
      yield Buffer.from(`--${boundary}\r\n${disposition}\r\n\r\n`)
      yield* slowly(content)
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

  protected async upload(number: number): Promise<StoredFile> {
    const { speaker, bucketId } = this.options
    const content = randomBytes(PATCHES * PARTS * PART_BYTES)
    const path = await begin(speaker, bucketId, `resumable-${number}`, content.length)
    let offset = 0
    while (offset < content.length) {
      const rest = content.subarray(offset, offset + PARTS * PART_BYTES)
      offset = await this.#patch(path, offset, rest)
    }
    return { id: path.split('/').at(-1)!, digest: digestOf(content) }
  }

  /** Resolves to the next offset. */
  async #patch(path: string, offset: number, bytes: Buffer): Promise<number> {
    const { speaker } = this.options
    try {
      const request = openPatch(speaker, path, offset, bytes.length)
      const answered = answerTo(request)
      answered.catch(() => {})
      for await (const part of slowly(bytes)) {
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

async function* slowly(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += PART_BYTES) {
    await delay(PAUSE_MS)
    yield content.subarray(at, at + PART_BYTES)
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
