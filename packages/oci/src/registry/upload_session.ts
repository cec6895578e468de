import { RegistryResponseInvalid } from '#oci/errors'
import type { JournalEntry } from '#oci/uploads/upload_journal'
import type { RegistryResponse } from './registry_response.js'
import type { RegistryRequest, RegistryClient } from './registry_client.js'
import { cancelScope, pushScope } from './scopes.js'

/** Applies even if the job was aborted. */
const CANCEL_TIMEOUT_MS = 10_000

/** A resumable blob upload. Each response names the URL of the next request. */
export class UploadSession {
  readonly #client: RegistryClient
  readonly #repository: string
  readonly #startUrl: URL
  readonly #journalEntry: JournalEntry | undefined
  #url: URL
  /** An aborted request may have moved the session. Only the journal knows where it is. */
  #isLocationUnknown = false

  /** Wraps a session that a response started. */
  constructor(
    client: RegistryClient,
    repository: string,
    response: RegistryResponse,
    journalEntry?: JournalEntry
  ) {
    this.#client = client
    this.#repository = repository
    this.#startUrl = response.url
    this.#journalEntry = journalEntry
    this.#url = sessionUrl(response)
    journalEntry?.keepAlive()
  }

  static async start(client: RegistryClient, repository: string): Promise<UploadSession> {
    const journalEntry = client.newJournalEntry()
    const response = await client.send({
      method: 'POST',
      at: `${repository}/blobs/uploads/`,
      scopes: [pushScope(repository)],
      expected: [202],
      journalEntry,
    })
    response.discard()
    return new UploadSession(client, repository, response, journalEntry)
  }

  /** Sends bytes at an offset. Not retried: a part of them may have arrived. */
  async append(bytes: Buffer, offset: number): Promise<void> {
    const end = offset + bytes.length
    const response = await this.#send({
      method: 'PATCH',
      at: this.#url,
      headers: {
        'content-type': 'application/octet-stream',
        'content-range': `${offset}-${end - 1}`,
      },
      body: bytes,
      expected: [202, 204],
    })
    this.#moveTo(response)
    if ((receivedIn(response) ?? end) !== end) {
      throw new RegistryResponseInvalid(
        `${response.url.host} was sent ${end} bytes of a blob, but reports ${receivedIn(response)}`
      )
    }
  }

  /** The number of bytes received, or undefined if the session no longer exists. */
  async receivedBytes(): Promise<number | undefined> {
    const response = await this.#client.send({
      method: 'GET',
      at: this.#url,
      scopes: [pushScope(this.#repository)],
      expected: [204, 202, 200, 400, 404, 416],
    })
    response.discard()
    if (response.status >= 400) {
      return undefined
    }
    this.#moveTo(response)
    this.#journalEntry?.recordMove(this.#startUrl, this.#url)
    return receivedIn(response)
  }

  /** Sends the last bytes and lets the registry verify the digest. */
  async finish(bytes: Buffer, digest: string): Promise<RegistryResponse> {
    const at = new URL(this.#url)
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

  /** The upload became a blob: removes the journal entry. */
  async complete(): Promise<void> {
    await this.#journalEntry?.remove()
  }

  /** Cancels the session, even if the job was aborted. If that fails, the journal entry stays for a later cleanup. */
  async cancel(): Promise<void> {
    if (this.#journalEntry && this.#isLocationUnknown) {
      return this.#journalEntry.release()
    }
    try {
      await cancelSession(this.#client, this.#repository, this.#url)
      await this.#journalEntry?.remove()
    } catch {
      this.#journalEntry?.release()
    }
  }

  async #send(
    request: Pick<RegistryRequest, 'method' | 'at' | 'headers' | 'body' | 'expected' | 'isSlow'>
  ): Promise<RegistryResponse> {
    try {
      const response = await this.#client.send({
        ...request,
        scopes: [pushScope(this.#repository)],
        isSingleAttempt: true,
        journalEntry: this.#journalEntry,
        startUrl: this.#startUrl,
      })
      response.discard()
      return response
    } catch (error) {
      this.#isLocationUnknown = this.#client.isAborted
      throw error
    }
  }

  #moveTo(response: RegistryResponse): void {
    this.#url = response.location() ?? this.#url
  }
}

/** Cancels an upload of any process. Does nothing if it no longer exists. */
export async function cancelSession(
  client: RegistryClient,
  repository: string,
  at: URL
): Promise<void> {
  const response = await client.within(AbortSignal.timeout(CANCEL_TIMEOUT_MS)).send({
    method: 'DELETE',
    at,
    scopes: [cancelScope(repository)],
    expected: [200, 202, 204, 404],
  })
  response.discard()
}

function sessionUrl(response: RegistryResponse): URL {
  const at = response.location()
  if (!at) {
    throw new RegistryResponseInvalid(`${response.url.host} started an upload without a location`)
  }
  return at
}

/** `Range: 0-99` means 100 bytes. Some registries send `0-0` or `0--1` for none. */
function receivedIn(response: RegistryResponse): number | undefined {
  const last = /^(?:bytes=)?0-(-?\d+)$/.exec(response.header('range') ?? '')?.[1]
  return last === undefined ? undefined : Number(last) + 1
}
