import app from '@adonisjs/core/services/app'

import { ClientService } from '#identity/clients/client_service'
import { clientRole } from '#identity/client_roles/client_role'
import { clientScope } from '#identity/client_scopes/client_scope'
import { ClientPermissionService } from '#identity/client_permissions/client_permission_service'
import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { platformOrigin } from '#identity/embedded/platform_origin'
import { PermissionService } from '#identity/permissions/permission_service'
import { REPLACED_TOKEN_SECONDS } from '#identity/embedded/tokens/lifetimes'
import { RealmService } from '#identity/realms/realm_service'
import { rolePermission } from '#identity/role_permissions/role_permission'
import { RoleService } from '#identity/roles/role_service'
import { scope } from '#identity/scopes/scope'
import { UserService } from '#identity/users/user_service'
import { userPermission } from '#identity/user_permissions/user_permission'
import { userRole } from '#identity/user_roles/user_role'
import { TokenVerifier } from '#auth/verification/token_verifier'
import type { RecordService } from '#records/record_service'
import { serviceKeyOf, type ServiceKey } from '#records/service_key'
import { clock, overrideClock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { testAuthenticator } from '#tests/helpers/identities'

export const ADMIN = { username: 'admin', password: 'start123' }
export const SYSTEM = { client_id: 'system', client_secret: 'start123' }

/** The credentials of a test user. */
export const PASSWORD = 'correct horse battery'

export interface Answered {
  status: number
  headers: Headers
  body: any
}

/** The container keys of the provider's services. */
const SERVICES = {
  realm: RealmService,
  user: UserService,
  client: ClientService,
  role: RoleService,
  permission: PermissionService,
  scope: serviceKeyOf(scope),
  userRole: serviceKeyOf(userRole.kind),
  userPermission: serviceKeyOf(userPermission.kind),
  rolePermission: serviceKeyOf(rolePermission.kind),
  clientRole: serviceKeyOf(clientRole.kind),
  clientPermission: ClientPermissionService,
  clientScope: serviceKeyOf(clientScope.kind),
} satisfies Record<string, ServiceKey>

type Service = keyof typeof SERVICES

const serviceOf = async (name: Service): Promise<RecordService> =>
  app.container.make(SERVICES[name])

/** A name that is unique across tests and runs. */
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

/** Advances the clock beyond the grace period of a replaced refresh token. Returns a function that restores it. */
export const passRenewal = (): (() => void) =>
  overrideClock({ now: () => Date.now() + (REPLACED_TOKEN_SECONDS + 1) * 1000 })

export async function introspect(accessToken: string): Promise<any> {
  const { body } = await post('/token/introspect', { token: accessToken })
  return body
}

/** Creates a record as the platform itself. */
export async function make(service: Service, body: Record<string, unknown>): Promise<any> {
  return JSON.parse(await (await serviceOf(service)).create(await platformOrigin(), body))
}

export async function change(service: Service, id: string, body: object): Promise<void> {
  await (
    await serviceOf(service)
  ).update(await platformOrigin(), id, body as Record<string, unknown>)
}

export async function remove(service: Service, id: string): Promise<void> {
  await (await serviceOf(service)).remove(await platformOrigin(), id)
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

/** Accepts tokens of the provider on record routes, beside those of test identities. */
export async function believeProvider(): Promise<() => void> {
  const { verify } = testAuthenticator
  const provider = await embeddedProvider()
  const verifier = new TokenVerifier(provider, { trustMs: 0, distrustMs: 0 })
  testAuthenticator.verify = (accessToken) => verify(accessToken) ?? verifier.verify(accessToken)
  return () => {
    testAuthenticator.verify = verify
  }
}
