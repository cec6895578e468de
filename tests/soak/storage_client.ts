import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import type { Content } from './content.js'

const BOUNDARY = 'soak-0123456789'
const HEAD = (path: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="${path}"\r\n\r\n`
const END = `\r\n--${BOUNDARY}--\r\n`

/** Uploads files to a running hub and downloads them. */
export class StorageClient {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 })

  private constructor(url: string, token: string) {
    this.#url = url
    this.#headers = { authorization: `Bearer ${token}` }
  }

  static async login(origin: string): Promise<StorageClient> {
    const response = await fetch(`${origin}/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'password', username: 'admin', password: 'start123' }),
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    return new StorageClient(`${origin}/storage`, token)
  }

  async newBucket(): Promise<string> {
    const response = await fetch(`${this.#url}/buckets`, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'soak' }),
    })
    const body = await response.text()
    if (response.status !== 201) {
      throw new Error(`${response.status}: ${body}`)
    }
    return JSON.parse(body).data.id
  }

  async remove(id: string): Promise<void> {
    const options = { method: 'DELETE', headers: this.#headers }
    const response = await fetch(`${this.#url}/bucket-files/${id}`, options)
    if (response.status !== 202) {
      throw new Error(`${response.status}: ${await response.text()}`)
    }
  }

  /** Returns the ID of the file. */
  async upload(bucketId: string, path: string, content: Content): Promise<string> {
    const length = HEAD(path).length + content.size + END.length
    const { sent, answer } = this.#open(bucketId, { 'content-length': String(length) })
    sent.write(HEAD(path))
    for (const block of content.blocks()) {
      if (!sent.write(block)) {
        await Promise.race([once(sent, 'drain'), answer])
      }
    }
    sent.end(END)
    const response = await answer
    const body = await text(response)
    if (response.statusCode !== 201) {
      throw new Error(`${response.statusCode}: ${body}`)
    }
    return JSON.parse(body).data[0].id
  }

  /** Starts an upload and disconnects after a number of bytes. */
  async abort(bucketId: string, path: string, content: Content, after: number): Promise<void> {
    const { sent, answer } = this.#open(bucketId, {})
    answer.catch(() => {})
    sent.write(HEAD(path))
    let remaining = after
    for (const block of content.blocks()) {
      const chunk = block.subarray(0, remaining)
      remaining -= chunk.length
      if (!sent.write(chunk)) {
        await Promise.race([once(sent, 'drain'), delay(5_000)])
      }
      if (remaining === 0) {
        break
      }
    }
    sent.destroy()
  }

  async digest(id: string): Promise<string> {
    const hash = createHash('sha256')
    for await (const chunk of await this.#get(id, {})) {
      hash.update(chunk as Buffer)
    }
    return hash.digest('hex')
  }

  async range(id: string, start: number, end: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    const range = `bytes=${start}-${end - 1}`
    for await (const chunk of await this.#get(id, { range })) {
      chunks.push(chunk as Buffer)
    }
    return Buffer.concat(chunks)
  }

  /** Reads at a limited rate. */
  async readSlowly(id: string, bytesPerSecond: number, seconds: number): Promise<number> {
    const response = await this.#get(id, {})
    let count = 0
    const until = performance.now() + seconds * 1_000
    while (performance.now() < until) {
      await delay(100)
      const chunk = response.read(bytesPerSecond / 10) as Buffer | null
      count += chunk?.length ?? 0
    }
    response.destroy()
    return count
  }

  close(): void {
    this.#agent.destroy()
  }

  #open(bucketId: string, headers: Record<string, string>) {
    const sent = request(`${this.#url}/buckets/${bucketId}/upload`, {
      method: 'POST',
      agent: this.#agent,
      headers: {
        ...this.#headers,
        ...headers,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      },
    })
    const answer = once(sent, 'response').then(([response]) => response as IncomingMessage)
    sent.on('error', () => {})
    return { sent, answer }
  }

  async #get(id: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const sent = request(`${this.#url}/bucket-files/${id}/stream`, {
      agent: this.#agent,
      headers: { ...this.#headers, ...headers },
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    if (response.statusCode! >= 300) {
      throw new Error(`${response.statusCode}: ${await text(response)}`)
    }
    return response
  }
}
