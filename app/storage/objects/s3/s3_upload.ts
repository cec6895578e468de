import type { S3Client } from '@aws-sdk/client-s3'

import type { ObjectAddress, PutOptions } from '#storage/objects/object_store'
import type { PartBudget } from './part_budget.js'
import { PartSender } from './part_sender.js'
import { S3Requests } from './s3_requests.js'

/** Uploads one object: in one request if it fits into a part, otherwise as a multipart upload. */
export class S3Upload {
  readonly #requests: S3Requests
  readonly #sender: PartSender
  #uploadId: string | undefined
  #mayExist = false

  constructor(client: S3Client, address: ObjectAddress, budget: PartBudget, options: PutOptions) {
    this.#requests = new S3Requests(client, address)
    const upload = async () => (this.#uploadId ??= await this.#requests.createMultipartUpload())
    const transfer = { requests: this.#requests, budget, upload, sendsEarly: true }
    this.#sender = new PartSender({ ...transfer, ...options })
  }

  /** Stores the source and returns its size; removes everything on failure. */
  async run(source: AsyncIterable<Uint8Array>): Promise<number> {
    const sender = this.#sender
    try {
      await sender.sendAll(source)
      const size = await this.#complete()
      sender.signal.throwIfAborted()
      return size
    } catch (error) {
      const reason = sender.signal.aborted ? sender.signal.reason : error
      await this.#cleanUp()
      throw reason
    } finally {
      sender.releaseMemory()
    }
  }

  async #complete(): Promise<number> {
    if (this.#uploadId === undefined) {
      const bytes = this.#sender.takeBuffered()
      this.#mayExist = true
      await this.#requests.putWhole(bytes)
      return bytes.length
    }
    await this.#sender.sendLast()
    this.#mayExist = true
    await this.#requests.complete(this.#uploadId, this.#sender.tags)
    return this.#sender.size
  }

  /**
   * A request without a response may have succeeded, so the object is deleted as well. The sweep finds what fails
   * here.
   */
  async #cleanUp(): Promise<void> {
    await this.#sender.abort()
    if (this.#uploadId !== undefined) {
      await this.#requests.abort(this.#uploadId).catch(() => {})
    }
    if (this.#mayExist) {
      await this.#requests.delete().catch(() => {})
    }
  }
}
