import { readText } from '#client/body'
import { SharedToken, type Credentials, type IssuedToken } from '#client/credentials'
import { Transport } from '#client/transport'
import { clock } from '#kernel/clock'
import { tryParseJson } from '#kernel/try_parse_json'
import { PlatformUnavailable, PlatformRequestRejected, reasonOf } from './platform_errors.js'

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

/** The login of the worker: its token is fetched on first use and renewed before it expires. */
export function workerCredentials(client: WorkerClient): Credentials {
  const issuer = new TokenIssuer(client)
  return new SharedToken(
    () => issuer.issue(),
    () => clock.now()
  )
}

class TokenIssuer {
  readonly #client: WorkerClient
  #endpoint: string | undefined

  constructor(client: WorkerClient) {
    this.#client = client
  }

  async issue(): Promise<IssuedToken> {
    const requestedAt = clock.now()
    this.#endpoint ??= await this.#discover()
    const { id, secret, realm } = this.#client
    const { status, content } = await requestJson(this.#endpoint, {
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
    const { status, content } = await requestJson(`${url}/.well-known/openid-configuration`)
    const endpoint = status === 200 ? content?.token_endpoint : undefined
    const isHere = typeof endpoint === 'string' && URL.canParse(endpoint) && isSame(endpoint, url)
    return isHere ? endpoint : `${url}/token`
  }
}

/** Secrets are not sent to another origin. */
const isSame = (one: string, other: string): boolean =>
  new URL(one).origin === new URL(other).origin

async function requestJson(
  url: string,
  form?: Record<string, string>
): Promise<{ status: number; content: Record<string, unknown> | undefined }> {
  const posted = form && { method: 'POST', body: new URLSearchParams(form) }
  try {
    const response = await new Transport().send(url, { ...posted, answerMs: TIMEOUT_MS })
    const content = tryParseJson(await readText(response))
    const isObject = typeof content === 'object' && content !== null
    return { status: response.status, content: isObject ? { ...content } : undefined }
  } catch (error) {
    throw new PlatformUnavailable(IDENTITY_PROVIDER, reasonOf(error), { cause: error })
  }
}

/** Short-lived tokens are renewed at half of their lifetime. */
function usableMs(expiresIn: unknown): number {
  const lifetimeMs = (Number(expiresIn) || DEFAULT_LIFETIME_S) * 1_000
  return lifetimeMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 2)
}
