import type { IncomingHttpHeaders } from 'node:http'

import { BadRequest } from '#kernel/failures'
import { filenameOf } from './part_filename.js'

/**
 * A part of a multipart body. Its bytes are available until the next part is requested; unread ones are skipped.
 */
export interface Part {
  /** Undefined if the part is not a file. */
  readonly filename: string | undefined
  readonly bytes: AsyncIterable<Uint8Array>
}

/** A body that violates RFC 2046 or RFC 7578, or ends early. */
export class MalformedMultipart extends BadRequest {
  constructor(problem: string) {
    super(`The multipart body is malformed: ${problem}`)
  }
}

const MULTIPART = /^\s*multipart\/[^\s;]+/i
const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i
const LINE_END = Buffer.from('\r\n')
const LAST = Buffer.from('--')
const NOTHING = Buffer.alloc(0)
const HEADER_BYTES = 16 * 1024

/** The boundary from the content type of a request. Throws if the request is not multipart. */
export function boundaryOf(contentType: string | undefined): string {
  const [, quoted, plain] = MULTIPART.test(contentType ?? '')
    ? (BOUNDARY.exec(contentType!) ?? [])
    : []
  const boundary = quoted ?? plain
  if (boundary === undefined) {
    throw new BadRequest('Send files as multipart/form-data, with its boundary in content-type')
  }
  return boundary
}

/** Rejects a request without a body. A multipart body without files still has a last boundary. */
export function requireContent(headers: IncomingHttpHeaders): void {
  const isEmpty =
    headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)
  if (isEmpty) {
    throw new BadRequest('The request has no body: send files as multipart/form-data')
  }
}

/** Reads the parts of a multipart body one after the other; at most one chunk is in memory. */
export async function* partsOf(
  source: AsyncIterator<Buffer>,
  boundary: string
): AsyncGenerator<Part, void, undefined> {
  const reader = new MultipartReader(source, boundary)
  await reader.skipPart()
  while (await reader.startPart()) {
    const filename = filenameOf(await reader.headers())
    yield { filename, bytes: reader.bytes() }
    await reader.skipPart()
  }
}

class MultipartReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #delimiter: Buffer
  /** The first boundary may start the body; every other one starts a line. */
  #buffer: Buffer = LINE_END
  #isInPart = true

  constructor(source: AsyncIterator<Buffer>, boundary: string) {
    this.#source = source
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  /** Reads the end of a boundary line; false after the last boundary. */
  async startPart(): Promise<boolean> {
    while (this.#buffer.length < LAST.length) {
      await this.#readMore()
    }
    if (this.#buffer.subarray(0, LAST.length).equals(LAST)) {
      return false
    }
    const line = await this.#line(HEADER_BYTES)
    if (line.toString('latin1').trim() !== '') {
      throw new MalformedMultipart('a boundary is not followed by a line end')
    }
    this.#isInPart = true
    return true
  }

  /** The header lines, without the empty one that ends them. */
  async headers(): Promise<Buffer[]> {
    const lines: Buffer[] = []
    let room = HEADER_BYTES
    for (let line = await this.#line(room); line.length > 0; line = await this.#line(room)) {
      lines.push(line)
      room -= line.length
    }
    return lines
  }

  async *bytes(): AsyncGenerator<Buffer, void, undefined> {
    while (this.#isInPart) {
      const chunk = this.#readChunk()
      if (chunk.length > 0) {
        yield chunk
      } else if (this.#isInPart) {
        await this.#readMore()
      }
    }
  }

  async skipPart(): Promise<void> {
    while (this.#isInPart) {
      if (this.#readChunk().length === 0 && this.#isInPart) {
        await this.#readMore()
      }
    }
  }

  /** The available bytes of the part, except trailing ones that may start the next boundary. */
  #readChunk(): Buffer {
    const buffer = this.#buffer
    const end = buffer.indexOf(this.#delimiter)
    if (end !== -1) {
      this.#isInPart = false
      this.#buffer = buffer.subarray(end + this.#delimiter.length)
      return buffer.subarray(0, end)
    }
    const safe = buffer.length - this.#partialBoundaryLength(buffer)
    // Drops the reference to a chunk that is passed on completely, so that its memory can be recycled.
    this.#buffer = safe === buffer.length ? NOTHING : buffer.subarray(safe)
    return buffer.subarray(0, safe)
  }

  /** The length of the longest suffix that is a prefix of the boundary. */
  #partialBoundaryLength(bytes: Buffer): number {
    let at = bytes.indexOf(
      this.#delimiter[0]!,
      Math.max(0, bytes.length - this.#delimiter.length + 1)
    )
    while (at !== -1) {
      const tail = bytes.subarray(at)
      if (this.#delimiter.subarray(0, tail.length).equals(tail)) {
        return tail.length
      }
      at = bytes.indexOf(this.#delimiter[0]!, at + 1)
    }
    return 0
  }

  /** Reads a line and its line end. */
  async #line(room: number): Promise<Buffer> {
    for (;;) {
      const end = this.#buffer.indexOf(LINE_END)
      if ((end === -1 ? this.#buffer.length : end) > room) {
        throw new MalformedMultipart(`the header of a part has more than ${HEADER_BYTES} bytes`)
      }
      if (end !== -1) {
        const line = this.#buffer.subarray(0, end)
        this.#buffer = this.#buffer.subarray(end + LINE_END.length)
        return line
      }
      await this.#readMore()
    }
  }

  async #readMore(): Promise<void> {
    const { done, value } = await this.#source.next()
    if (done) {
      throw new MalformedMultipart('it ends before its last boundary')
    }
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value])
  }
}
