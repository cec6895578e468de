import { hash } from 'node:crypto'

import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { token, type Answered } from './provider.js'

export interface Page {
  status: number
  headers: Headers
  text: string
  /** The redirect target and its parameters. */
  location: URL | undefined
  /** The hidden fields of the form. */
  hidden: Record<string, string>
}

/** A browser without scripts. It stores its cookie and does not follow redirects. */
export class Visitor {
  cookie: string | undefined

  get(parameters: Record<string, string> | [string, string][]): Promise<Page> {
    return this.open('/authorize', parameters)
  }

  post(fields: Record<string, string>): Promise<Page> {
    return this.submit('/authorize', fields)
  }

  open(path: string, parameters: Record<string, string> | [string, string][]): Promise<Page> {
    return this.#visit(`${path}?${new URLSearchParams(parameters)}`, {})
  }

  submit(path: string, fields: Record<string, string>): Promise<Page> {
    return this.#visit(path, { method: 'POST', body: new URLSearchParams(fields) })
  }

  async #visit(path: string, init: RequestInit): Promise<Page> {
    const headers: Record<string, string> = this.cookie
      ? { cookie: `hub_login=${this.cookie}` }
      : {}
    const response = await fetch(at('identity', path), { ...init, headers, redirect: 'manual' })
    const text = await response.text()
    const location = response.headers.get('location')
    const [, set] = /^hub_login=([^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? []
    this.cookie = set ?? this.cookie
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: location === null ? undefined : new URL(location),
      hidden: hiddenFields(text),
    }
  }
}

export function hiddenFields(text: string): Record<string, string> {
  const fields = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name, value]) => [name, unescaped(value!)]))
}

const unescaped = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

/** A PKCE verifier and its challenge. */
export function newVerifier() {
  const verifier = clock.random(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

export interface Application {
  id: string
  redirectUri: string
  secret?: string
}

/** The parameters of an authorization request. */
export function authorizationQuery(
  { id, redirectUri }: Application,
  challenge: string,
  more: Record<string, string> = {}
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'some state',
    ...more,
  }
}

/** Goes through the login page. */
export async function logIn(
  visitor: Visitor,
  request: Record<string, string>,
  login: { username: string; password: string; realm?: string }
): Promise<Page> {
  const page = await visitor.get(request)
  return visitor.post({ ...page.hidden, ...login, action: 'sign_in' })
}

export function exchange(
  { id, redirectUri, secret }: Application,
  code: string,
  verifier: string,
  more: Record<string, string> = {}
): Promise<Answered> {
  return token({
    grant_type: 'authorization_code',
    code,
    client_id: id,
    ...(secret !== undefined && { client_secret: secret }),
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...more,
  })
}
