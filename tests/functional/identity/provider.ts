import { EmbeddedProvider } from '#identity/embedded/embedded_provider'
import { services } from '#identity/embedded/services'
import { platformOrigin } from '#identity/embedded/platform_origin'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { testAuthenticator } from '#tests/helpers/identities'

export const ADMIN = { username: 'admin', password: 'start123' }
export const SYSTEM = { client_id: 'system', client_secret: 'start123' }

/** What a person of a test knows. */
export const PASSWORD = 'correct horse battery'

export interface Answered {
  status: number
  headers: Headers
  body: any
}

type Service = keyof typeof services

/** Names that are in no other test, and of no other run of the same one. */
export const unique = (prefix: string) => `${prefix}-${clock.uuid().slice(0, 8)}`

/** Sends a form, as OAuth does. */
export function post(
  path: string,
  parameters: Record<string, string>,
  headers: Record<string, string> = {}
): Promise<Answered> {
  return answered(path, { method: 'POST', headers, body: new URLSearchParams(parameters) })
}

/** Sends JSON, as the platform does. */
export function send(
  method: string,
  path: string,
  token: string | undefined,
  body?: object
): Promise<Answered> {
  const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` }
  return answered(path, {
    method,
    headers: { 'content-type': 'application/json', ...authorization },
    body: body && JSON.stringify(body),
  })
}

async function answered(path: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(at('identity', path), { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}

export const token = (parameters: Record<string, string>, headers?: Record<string, string>) =>
  post('/token', parameters, headers)

export const byPassword = (parameters: Record<string, string> = ADMIN) =>
  token({ grant_type: 'password', ...parameters })

export const bySecret = (parameters: Record<string, string> = SYSTEM) =>
  token({ grant_type: 'client_credentials', ...parameters })

export const refresh = (refreshToken: string, more: Record<string, string> = {}) =>
  token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more })

export async function introspect(accessToken: string): Promise<any> {
  const { body } = await post('/token/introspect', { token: accessToken })
  return body
}

/** Makes a record as the platform itself. */
export async function make(service: Service, body: Record<string, unknown>): Promise<any> {
  return JSON.parse(await services[service]().create(await platformOrigin(), body))
}

export async function change(service: Service, id: string, body: object): Promise<void> {
  await services[service]().update(await platformOrigin(), id, body as Record<string, unknown>)
}

export async function remove(service: Service, id: string): Promise<void> {
  await services[service]().remove(await platformOrigin(), id)
}

/** A user with a password, in the master realm unless another is given. */
export function makeUser(body: Record<string, unknown> = {}): Promise<any> {
  return make('user', { name: unique('user'), password: PASSWORD, ...body })
}

/** A client with the given secret, or else without any. */
export function makeClient(body: Record<string, unknown> = {}): Promise<any> {
  const authMethod = body.secret === undefined ? 'none' : 'secret'
  return make('client', { name: unique('client'), authMethod, ...body })
}

/** Lets the records be reached with tokens of the provider, beside those of people who are made up. */
export function believeProvider(): () => void {
  const { verify } = testAuthenticator
  const verifier = new TokenVerifier(new EmbeddedProvider(), { trustMs: 0, distrustMs: 0 })
  testAuthenticator.verify = (accessToken) => verify(accessToken) ?? verifier.verify(accessToken)
  return () => {
    testAuthenticator.verify = verify
  }
}
