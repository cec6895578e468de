import { clock } from '#kernel/clock'
import { tryParseJson } from '#kernel/try_parse_json'
import { PlatformAway, PlatformRefused } from './problems.js'

const LIMIT_MS = 10_000
const RENEWED_BEFORE_MS = 60_000
const LIFETIME_UNLESS_SAID_S = 300
const WHAT = 'The identity provider'

/** As whom the worker calls the platform. */
export interface WorkerClient {
  /** The address of the identity provider. */
  readonly url: () => string
  readonly id: string
  /** Asked for when it is needed: it may be made up by another process. */
  readonly secret: () => string
  readonly realm: string
}

interface Held {
  readonly token: string
  readonly renewAt: number
}

/** The token of the worker, fetched when it is first needed and again before it ends. */
export class WorkerToken {
  readonly #client: WorkerClient
  #fetching: Promise<Held> | undefined
  #held: Held | undefined
  #endpoint: string | undefined

  constructor(client: WorkerClient) {
    this.#client = client
  }

  async get(): Promise<string> {
    if (this.#held && clock.now() < this.#held.renewAt) {
      return this.#held.token
    }
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    this.#held = await this.#fetching
    return this.#held.token
  }

  /** Lets go of a token that was refused, unless there is another one already. */
  discard(token: string): void {
    if (this.#held?.token === token) {
      this.#held = undefined
    }
  }

  async #fetch(): Promise<Held> {
    const askedAt = clock.now()
    this.#endpoint ??= await this.#discover()
    const { id, secret, realm } = this.#client
    const { status, said } = await asked(this.#endpoint, {
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret(),
      realm_id: realm,
    })
    if (status >= 400 && status < 500) {
      throw new PlatformRefused(`A token for the client ${id}`, status === 400 ? 401 : status)
    }
    if (status !== 200 || typeof said?.access_token !== 'string') {
      throw new PlatformAway(WHAT, `it answered with the status ${status} and no token`)
    }
    return { token: said.access_token, renewAt: askedAt + usableMs(said.expires_in) }
  }

  /** Providers that describe themselves say where tokens are given out; at all others that is an address of the contract. */
  async #discover(): Promise<string> {
    const url = this.#client.url()
    const { status, said } = await asked(`${url}/.well-known/openid-configuration`)
    const endpoint = status === 200 ? said?.token_endpoint : undefined
    const isHere = typeof endpoint === 'string' && URL.canParse(endpoint) && isSame(endpoint, url)
    return isHere ? endpoint : `${url}/token`
  }
}

/** An address that others use is not for secrets on the way to a provider that was named by another one. */
const isSame = (one: string, other: string): boolean =>
  new URL(one).origin === new URL(other).origin

async function asked(
  url: string,
  form?: Record<string, string>
): Promise<{ status: number; said: Record<string, unknown> | undefined }> {
  try {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { accept: 'application/json' },
      ...(form && { body: new URLSearchParams(form) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    const said = tryParseJson(await response.text())
    const isObject = typeof said === 'object' && said !== null
    return { status: response.status, said: isObject ? { ...said } : undefined }
  } catch (error) {
    throw new PlatformAway(WHAT, reasonOf(error), { cause: error })
  }
}

/** What went wrong on the way, as far as the system has a word for it. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message
}

/** Tokens that live for a short time only are renewed halfway. */
function usableMs(expiresIn: unknown): number {
  const lifetimeMs = (Number(expiresIn) || LIFETIME_UNLESS_SAID_S) * 1_000
  return lifetimeMs - Math.min(RENEWED_BEFORE_MS, lifetimeMs / 2)
}
