import { clock } from '#kernel/clock'
import { tryParseJson } from '#kernel/try_parse_json'
import { PlatformUnavailable, PlatformRequestRejected } from './platform_errors.js'

const TIMEOUT_MS = 10_000
const RENEW_BEFORE_MS = 60_000
const DEFAULT_LIFETIME_S = 300
const IDENTITY_PROVIDER = 'The identity provider'

/** The client that the worker authenticates as. */
export interface WorkerClient {
  /** URL of the identity provider. */
  readonly url: () => string
  readonly id: string
  /** Evaluated on use: another process may generate it. */
  readonly secret: () => string
  readonly realm: string
}

interface CachedToken {
  readonly token: string
  readonly renewAt: number
}

/** The access token of the worker, fetched on first use and renewed before it expires. */
export class WorkerToken {
  readonly #client: WorkerClient
  #fetching: Promise<CachedToken> | undefined
  #cached: CachedToken | undefined
  #endpoint: string | undefined

  constructor(client: WorkerClient) {
    this.#client = client
  }

  async get(): Promise<string> {
    if (this.#cached && clock.now() < this.#cached.renewAt) {
      return this.#cached.token
    }
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    this.#cached = await this.#fetching
    return this.#cached.token
  }

  /** Drops a rejected token, unless it was already replaced. */
  discard(token: string): void {
    if (this.#cached?.token === token) {
      this.#cached = undefined
    }
  }

  async #fetch(): Promise<CachedToken> {
    const requestedAt = clock.now()
    this.#endpoint ??= await this.#discover()
    const { id, secret, realm } = this.#client
    const { status, content } = await fetchJson(this.#endpoint, {
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret(),
      realm_id: realm,
    })
    if (status >= 400 && status < 500) {
      throw new PlatformRequestRejected(
        `A token for the client ${id}`,
        status === 400 ? 401 : status
      )
    }
    if (status !== 200 || typeof content?.access_token !== 'string') {
      throw new PlatformUnavailable(
        IDENTITY_PROVIDER,
        `it responded with status ${status} and no token`
      )
    }
    return { token: content.access_token, renewAt: requestedAt + usableMs(content.expires_in) }
  }

  /** The token endpoint from the discovery document, or the default one. */
  async #discover(): Promise<string> {
    const url = this.#client.url()
    const { status, content } = await fetchJson(`${url}/.well-known/openid-configuration`)
    const endpoint = status === 200 ? content?.token_endpoint : undefined
    const isHere = typeof endpoint === 'string' && URL.canParse(endpoint) && isSame(endpoint, url)
    return isHere ? endpoint : `${url}/token`
  }
}

/** Secrets are not sent to another origin. */
const isSame = (one: string, other: string): boolean =>
  new URL(one).origin === new URL(other).origin

async function fetchJson(
  url: string,
  form?: Record<string, string>
): Promise<{ status: number; content: Record<string, unknown> | undefined }> {
  try {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { accept: 'application/json' },
      ...(form && { body: new URLSearchParams(form) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const content = tryParseJson(await response.text())
    const isObject = typeof content === 'object' && content !== null
    return { status: response.status, content: isObject ? { ...content } : undefined }
  } catch (error) {
    throw new PlatformUnavailable(IDENTITY_PROVIDER, reasonOf(error), { cause: error })
  }
}

/** The system error code, or the message. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message
}

/** Short-lived tokens are renewed at half of their lifetime. */
function usableMs(expiresIn: unknown): number {
  const lifetimeMs = (Number(expiresIn) || DEFAULT_LIFETIME_S) * 1_000
  return lifetimeMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 2)
}
