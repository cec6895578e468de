import { generateKeyPairSync, randomBytes } from 'node:crypto'

import type { Page } from 'playwright-core'

import { freePort } from './free_port.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Recipe } from './real_server.js'

const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const MODULES = '/usr/lib/glewlwyd'
const FIRST_PASSWORD = 'password'

const settings = (port: number, database: string) => `
port = ${port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:${port}"
login_url = "login.html"
api_prefix = "api"
log_mode = "console"
log_level = "WARNING"
cookie_secure = 0
session_expiration = 2419200
session_key = "session"
admin_session_authentication = "cookie"
profile_session_authentication = "cookie"
login_api_enabled = true
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "${MODULES}/user"
client_module_path = "${MODULES}/client"
user_auth_scheme_module_path = "${MODULES}/scheme"
plugin_module_path = "${MODULES}/plugin"
hash_algorithm = "SHA512"
database = { type = "sqlite3"; path = "${database}"; };
`

const field = (multiple = false) => ({
  multiple,
  'read': true,
  'write': true,
  'profile-read': true,
})

/** What its users have beside a name: what the platform wants to know of them. */
const userFields = {
  'use-glewlwyd-connection': true,
  'data-format': { realm_id: field(), realm_name: field(), permissions: field(true) },
}

const recipe: Recipe = {
  name: 'glewlwyd',
  packages: PACKAGES.glewlwyd,
  account: 'glewlwyd',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const port = await freePort()
    const password = randomBytes(24).toString('hex')
    const url = `http://admin:${password}@127.0.0.1:${port}`
    const database = `${home.path}/glewlwyd.db`
    const fields = await home.write(
      'fields.sql',
      `update g_user_module_instance set gumi_parameters = '${JSON.stringify(userFields)}';`
    )
    await home.run('/usr/bin/sqlite3', [database, `.read ${TABLES}`, `.read ${fields}`])
    const configuration = await home.write('glewlwyd.conf', settings(port, database))

    let isNew = true
    return {
      url,
      async boot() {
        await home.spawn('/usr/bin/glewlwyd', [`--config-file=${configuration}`])
        const expected = isNew ? url.replace(password, FIRST_PASSWORD) : url
        await home.until(() => GlewlwydAdmin.logIn(expected))
        if (isNew) {
          const admin = await GlewlwydAdmin.logIn(expected)
          await admin.put('/user/admin', {
            password,
            scope: ['g_admin', 'g_profile'],
            enabled: true,
          })
          isNew = false
        }
      },
    }
  },
}

/** A Glewlwyd of the test's own; its address carries the password of its administrator. */
export function startGlewlwyd(): Promise<RealServer> {
  return RealServer.start(recipe)
}

/** The administration of a running Glewlwyd. */
export class GlewlwydAdmin {
  readonly #api: string
  readonly #cookie: string

  static async logIn(url: string): Promise<GlewlwydAdmin> {
    const { origin, username, password } = new URL(url)
    const response = await fetch(`${origin}/api/auth/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
      signal: AbortSignal.timeout(2_000),
    })
    const cookie = response.headers.get('set-cookie')?.split(';')[0]
    if (!response.ok || !cookie) {
      throw new Error(`Glewlwyd refuses its administrator with ${response.status}`)
    }
    return new GlewlwydAdmin(`${origin}/api`, cookie)
  }

  private constructor(api: string, cookie: string) {
    this.#api = api
    this.#cookie = cookie
  }

  async get(path: string): Promise<any> {
    const response = await this.#send('GET', path)
    return response.json()
  }

  async post(path: string, body: object): Promise<void> {
    await this.#send('POST', path, body)
  }

  async put(path: string, body: object): Promise<void> {
    await this.#send('PUT', path, body)
  }

  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path)
  }

  async #send(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(this.#api + path, {
      method,
      headers: { 'content-type': 'application/json', 'cookie': this.#cookie },
      body: JSON.stringify(body),
    })
    if (!response.ok) {
      const reason = await response.text()
      throw new Error(`Glewlwyd answers ${method} ${path} with ${response.status} ${reason}`)
    }
    return response
  }
}

export interface OpenIdSite {
  /** Where its discovery document is found. */
  readonly url: string
  readonly client: { readonly clientId: string; readonly clientSecret: string }
  readonly user: {
    readonly username: string
    readonly password: string
    readonly realm_id: string
    readonly realm_name: string
    readonly permissions: readonly string[]
  }
}

/**
 * Lets a running Glewlwyd serve OpenID Connect, with one client and one user. With addresses to return to, the client may
 * also send people there to sign in.
 */
export async function serveOpenId(
  url: string,
  returnAddresses: readonly string[] = [],
  accessTokenSeconds = 3_600
): Promise<OpenIdSite> {
  const admin = await GlewlwydAdmin.logIn(url)
  const site = `${new URL(url).origin}/api/oidc`
  const client = { clientId: 'hub', clientSecret: randomBytes(24).toString('hex') }
  const user = {
    username: 'ann',
    password: randomBytes(24).toString('hex'),
    realm_id: '4a9a0000-0000-4000-8000-000000000001',
    realm_name: 'site-a',
    permissions: ['node_create', 'node_update'],
  }
  await admin.post('/mod/plugin/', openIdPlugin(site, accessTokenSeconds))
  await admin.post('/scope/', { name: 'hub', display_name: 'Hub', description: 'Use of the hub' })
  await admin.post('/client/', {
    client_id: client.clientId,
    name: 'Hub',
    password: client.clientSecret,
    confidential: true,
    enabled: true,
    authorization_type: [
      ...['client_credentials', 'password', 'refresh_token'],
      ...(returnAddresses.length > 0 ? ['code'] : []),
    ],
    redirect_uri: returnAddresses,
    token_endpoint_auth_method: ['client_secret_basic'],
    scope: ['hub'],
  })
  const scope = ['hub', 'openid']
  await admin.post('/user/', { ...user, name: 'Ann', scope, enabled: true })
  return { url: site, client, user }
}

function openIdPlugin(issuer: string, accessTokenSeconds: number) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const claims = ['realm_id', 'realm_name', 'permissions']
  return {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    parameters: {
      'iss': issuer,
      'jwt-type': 'ecdsa',
      'jwt-key-size': '256',
      'key': privateKey.export({ type: 'pkcs8', format: 'pem' }),
      'cert': publicKey.export({ type: 'spki', format: 'pem' }),
      'jwks-show': true,
      'access-token-duration': accessTokenSeconds,
      'refresh-token-duration': 1209600,
      'code-duration': 600,
      'refresh-token-rolling': true,
      'allow-non-oidc': true,
      'auth-type-client-enabled': true,
      'auth-type-password-enabled': true,
      'auth-type-refresh-enabled': true,
      'auth-type-code-enabled': true,
      'pkce-allowed': true,
      'pkce-method-plain-allowed': false,
      'auth-type-token-enabled': false,
      'auth-type-id-token-enabled': false,
      'auth-type-none-enabled': false,
      'introspection-revocation-allowed': true,
      'introspection-revocation-allow-target-client': true,
      'subject-type': 'public',
      'additional-parameters': claims.map((claim) => ({
        'user-parameter': claim,
        'token-parameter': claim,
      })),
    },
  }
}

/**
 * Opens an address that leads to Glewlwyd, and signs its user in there. Debian has no configuration for the sign-in page
 * of Glewlwyd, so this does what the page would.
 */
export async function openThroughGlewlwyd(
  page: Page,
  address: string,
  { client, user: { username, password } }: OpenIdSite
): Promise<void> {
  const signInPage = await page.request.get(address)
  const { origin, searchParams } = new URL(signInPage.url())
  await page.request.post(`${origin}/api/auth/`, { data: { username, password } })
  const scope = 'hub openid'
  await page.request.put(`${origin}/api/auth/grant/${client.clientId}`, { data: { scope } })
  await page.goto(`${searchParams.get('callback_url')}&g_continue`)
}
