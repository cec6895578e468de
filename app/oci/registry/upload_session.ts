import { RegistryConfused } from '#oci/errors'
import type { UploadNote } from '#oci/uploads/upload_notes'
import type { Answer } from './answer.js'
import type { Question, RegistryClient } from './registry_client.js'
import { cancelling, pushing } from './scopes.js'

/** How long it may take to take back a session that failed, whatever became of the job. */
const CANCEL_WITHIN_MS = 10_000

/** A blob on its way into a registry. Each answer says where the next request has to go. */
export class UploadSession {
  readonly #client: RegistryClient
  readonly #repository: string
  readonly #begun: URL
  readonly #note: UploadNote | undefined
  #at: URL
  /** Part of it may be on its way, which was not waited for: where it is then, its note says. */
  #isUnsure = false

  /** The one that an answer has begun. */
  constructor(client: RegistryClient, repository: string, answer: Answer, note?: UploadNote) {
    this.#client = client
    this.#repository = repository
    this.#begun = answer.url
    this.#note = note
    this.#at = sessionOf(answer)
    note?.tend()
  }

  static async begin(client: RegistryClient, repository: string): Promise<UploadSession> {
    const note = client.newNote()
    const answer = await client.ask({
      method: 'POST',
      at: `${repository}/blobs/uploads/`,
      scopes: [pushing(repository)],
      expected: [202],
      note,
    })
    answer.drop()
    return new UploadSession(client, repository, answer, note)
  }

  /** Sends bytes that come after so many others; not tried again, for part of them may have arrived. */
  async append(bytes: Buffer, offset: number): Promise<void> {
    const end = offset + bytes.length
    const answer = await this.#send({
      method: 'PATCH',
      at: this.#at,
      headers: {
        'content-type': 'application/octet-stream',
        'content-range': `${offset}-${end - 1}`,
      },
      body: bytes,
      expected: [202, 204],
    })
    this.#move(answer)
    if ((receivedOf(answer) ?? end) !== end) {
      throw new RegistryConfused(
        `${answer.url.host} was sent ${end} bytes of a blob, and says that it has ${receivedOf(answer)}`
      )
    }
  }

  /** How many bytes have arrived; undefined where the session is no more. */
  async received(): Promise<number | undefined> {
    const answer = await this.#client.ask({
      method: 'GET',
      at: this.#at,
      scopes: [pushing(this.#repository)],
      expected: [204, 202, 200, 400, 404, 416],
    })
    answer.drop()
    if (answer.status >= 400) {
      return undefined
    }
    this.#move(answer)
    this.#note?.moved(this.#begun, this.#at)
    return receivedOf(answer)
  }

  /** Sends the last bytes, and has the registry compare all with the digest. */
  async finish(bytes: Buffer, digest: string): Promise<Answer> {
    const at = new URL(this.#at)
    at.searchParams.set('digest', digest)
    return this.#send({
      method: 'PUT',
      at,
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
      expected: [201, 204],
      isSlow: true,
    })
  }

  /** It has become a blob: there is nothing to take back. */
  async end(): Promise<void> {
    await this.#note?.remove()
  }

  /** Leaves nothing of it behind, also for a job that was stopped. Where that cannot be done now, it stays noted for later. */
  async cancel(): Promise<void> {
    if (this.#note && this.#isUnsure) {
      return this.#note.leave()
    }
    try {
      await cancelSession(this.#client, this.#repository, this.#at)
      await this.#note?.remove()
    } catch {
      this.#note?.leave()
    }
  }

  async #send(
    sending: Pick<Question, 'method' | 'at' | 'headers' | 'body' | 'expected' | 'isSlow'>
  ): Promise<Answer> {
    try {
      const answer = await this.#client.ask({
        ...sending,
        scopes: [pushing(this.#repository)],
        isAskedOnce: true,
        note: this.#note,
        begun: this.#begun,
      })
      answer.drop()
      return answer
    } catch (error) {
      this.#isUnsure = this.#client.isStopped
      throw error
    }
  }

  #move(answer: Answer): void {
    this.#at = answer.location() ?? this.#at
  }
}

/** Takes an upload back, whoever began it; one that is no more is no failure. */
export async function cancelSession(
  client: RegistryClient,
  repository: string,
  at: URL
): Promise<void> {
  const answer = await client.within(AbortSignal.timeout(CANCEL_WITHIN_MS)).ask({
    method: 'DELETE',
    at,
    scopes: [cancelling(repository)],
    expected: [200, 202, 204, 404],
  })
  answer.drop()
}

function sessionOf(answer: Answer): URL {
  const at = answer.location()
  if (!at) {
    throw new RegistryConfused(`${answer.url.host} began an upload, and does not say where it is`)
  }
  return at
}

/** `Range: 0-99` is a hundred bytes; some say `0-0` or `0--1` for none. */
function receivedOf(answer: Answer): number | undefined {
  const last = /^(?:bytes=)?0-(-?\d+)$/.exec(answer.header('range') ?? '')?.[1]
  return last === undefined ? undefined : Number(last) + 1
}
