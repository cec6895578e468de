import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { PLATFORM_PERMISSIONS } from '#auth/permission_names'

import { failure, Records, type StoredRecord } from './records.js'
import { claimsIn, SigningKey } from './signing_key.js'

export const SYSTEM = { clientId: 'system', clientSecret: 'a secret: with % and +' }
export const ANN = { username: 'ann', password: 'correct horse' }

const DESCRIPTION = '/.well-known/openid-configuration'

type Reply = {
  status: number
  body: unknown
  type?: string
  location?: string
  retryAfter?: number
}
type Fault = (request: IncomingMessage, answer: () => Promise<Reply>) => Promise<Reply> | Reply

/** A received request. */
interface RecordedRequest {
  method: string
  path: string
  authorization: string | undefined
  body: Record<string, string>
}

const keys = { master: new SigningKey(), siteA: new SigningKey() }

/** A test double of an identity provider over real HTTP. It counts requests and can fail or lie on demand. */
export class StandInProvider {
  readonly keys = { ...keys }
  readonly records = new Records()
  readonly seen: RecordedRequest[] = []
  readonly realms: { master: StoredRecord; siteA: StoredRecord }
  readonly ann: StoredRecord
  readonly #server: Server
  readonly #revoked = new Set<string>()
  #fault: Fault | undefined
  #port = 0
  /** Whether it has a discovery document per realm, and the root redirects to that of master. */
  describesRealms = false
  /** How long access tokens last. */
  lifetimeSeconds = 900

  static async start(): Promise<StandInProvider> {
    const provider = new StandInProvider()
    await provider.listen()
    return provider
  }

  private constructor() {
    const master = this.records.add('realms', { name: 'master' })
    const siteA = this.records.add('realms', { name: 'site-a' })
    this.realms = { master, siteA }
    PLATFORM_PERMISSIONS.forEach((name) => this.records.add('permissions', { name }))
    this.ann = this.records.add('users', {
      name: ANN.username,
      password: ANN.password,
      realmId: siteA.id,
    })
    this.records.add('clients', {
      name: SYSTEM.clientId,
      secret: SYSTEM.clientSecret,
      realmId: master.id,
    })
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Stops listening; `listen` resumes at the same address. */
  async goAway(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Applies a fault to every response until the next call without one. */
  fail(fault?: Fault): void {
    this.#fault = fault
  }

  /** The number of requests for a path. */
  count(path: string): number {
    return this.seen.filter((request) => request.path === path).length
  }

  revoke(token: string): void {
    this.#revoked.add(token)
  }

  /** Signs a token; `claims` override the defaults. */
  mint(claims: Record<string, unknown> = {}): string {
    const key = claims.realm_name === 'master' ? this.keys.master : this.keys.siteA
    return key.sign({ ...this.claims(), ...claims })
  }

  /** The token of a new user of master with all permissions. */
  administrator(): string {
    const { master } = this.realms
    const user = this.records.add('users', { name: 'administrator', realmId: master.id })
    for (const { id } of this.records.table('permissions')) {
      this.records.add('user-permissions', { userId: user.id, permissionId: id })
    }
    const claims = { sub: user.id, realm_id: master.id, realm_name: 'master' }
    return this.mint({ ...claims, iss: `${this.url}/realms/master` })
  }

  claims(): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000)
    return {
      iss: `${this.url}/realms/site-a`,
      sub: this.ann.id,
      sub_kind: 'user',
      realm_id: this.realms.siteA.id,
      realm_name: 'site-a',
      scope: 'global',
      kind: 'access_token',
      jti: randomUUID(),
      iat: now,
      exp: now + this.lifetimeSeconds,
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const url = new URL(request.url!, this.url)
    const { authorization } = request.headers
    this.seen.push({ method: request.method!, path: url.pathname, authorization, body })
    const answer = async () => this.#answer(request.method!, url, body, authorization)
    const {
      status,
      body: content,
      type,
      location,
      retryAfter,
    } = await (this.#fault?.(request, answer) ?? answer())
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const headers = {
      'content-type': type ?? 'application/json',
      ...(location && { location }),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    }
    response.writeHead(status, headers).end(text)
  }

  #answer(method: string, url: URL, body: Record<string, string>, authorization = ''): Reply {
    switch (url.pathname) {
      case DESCRIPTION:
        return this.describesRealms
          ? { status: 302, body: '', location: `/realms/master${DESCRIPTION}` }
          : { status: 200, body: this.#discovery() }
      case `/realms/master${DESCRIPTION}`:
        return { status: 200, body: this.#discovery('/realms/master') }
      case '/jwks':
        return { status: 200, body: { keys: [this.keys.master.jwk, this.keys.siteA.jwk] } }
      case '/token':
        return this.#token(body, authorization)
      case '/token/introspect':
        return { status: 200, body: this.#introspection(body.token ?? '') }
    }
    if (!this.#isOurs(authorization)) {
      return { status: 401, body: failure(401, 'identity_unauthorized') }
    }
    return (
      this.records.answer(method, url, body) ?? {
        status: 404,
        body: failure(404, 'entity_not_found'),
      }
    )
  }

  #discovery(realm = '') {
    return {
      issuer: this.url + realm,
      jwks_uri: `${this.url}/jwks`,
      token_endpoint: `${this.url}/token`,
      introspection_endpoint: `${this.url}/token/introspect`,
    }
  }

  #token(body: Record<string, string>, authorization: string): Reply {
    const [basicId, basicSecret] = basicIn(authorization)
    const id = body.client_id ?? basicId
    const secret = body.client_secret ?? basicSecret
    if (body.grant_type === 'password') {
      const user = this.records.table('users').find(({ name }) => name === body.username)
      return user?.password === body.password
        ? this.#issued({ sub: user!.id, sub_name: user!.name, realm_id: user!.realmId })
        : { status: 400, body: failure(400, 'invalid_credentials') }
    }
    const client = this.records
      .table('clients')
      .find((known) => [known.id, known.name].includes(id!))
    return client && client.secret === secret
      ? this.#issued({
          sub: client.id,
          sub_kind: 'client',
          sub_name: client.name,
          client_id: client.id,
          realm_id: client.realmId,
        })
      : { status: 401, body: failure(401, 'invalid_client') }
  }

  #issued(claims: { realm_id: string } & Record<string, unknown>): Reply {
    const realm = this.records.table('realms').find(({ id }) => id === claims.realm_id)!
    const issuer = { realm_name: realm.name, iss: `${this.url}/realms/${realm.name}` }
    const accessToken = this.mint({ ...issuer, ...claims })
    const refreshToken = this.mint({ ...issuer, ...claims, kind: 'refresh_token' })
    return {
      status: 200,
      body: {
        access_token: accessToken,
        refresh_token: refreshToken,
        expires_in: this.lifetimeSeconds,
        token_type: 'Bearer',
        scope: 'global',
      },
    }
  }

  /** Like deployed providers, it introspects refresh tokens too, distinguished only by their kind. */
  #introspection(token: string) {
    const claims = this.#isOurOwn(token) ? claimsIn(token) : undefined
    if (!claims || claims.exp * 1000 <= Date.now() || !this.#lasts(claims.session_id)) {
      return { active: false }
    }
    return { active: true, ...claims, permissions: this.#permissionsOf(claims.sub) }
  }

  #permissionsOf(sub: string) {
    if (sub === this.ann.id) {
      return [{ name: 'node_create', client_id: null, realm_id: null }, { name: 'node_update' }]
    }
    const rows = (table: string) => this.records.table(table)
    const isTheirs = ({ userId, clientId }: StoredRecord) => userId === sub || clientId === sub
    const roles = [...rows('user-roles'), ...rows('client-roles')].filter(isTheirs)
    const granted = [
      ...[...rows('client-permissions'), ...rows('user-permissions')].filter(isTheirs),
      ...rows('role-permissions').filter(({ roleId }) =>
        roles.some((one) => one.roleId === roleId)
      ),
    ]
    return granted.map(({ permissionId }) =>
      rows('permissions').find(({ id }) => id === permissionId)
    )
  }

  /** A token without a session is active until it expires. */
  #lasts(session: unknown): boolean {
    return session === undefined || this.records.table('sessions').some(({ id }) => id === session)
  }

  #isOurs(authorization: string): boolean {
    const token = authorization.replace(/^Bearer /, '')
    return token !== authorization && this.#isOurOwn(token)
  }

  #isOurOwn(token: string): boolean {
    const { master, siteA } = this.keys
    const isOfMaster = master.signed(token) && claimsIn(token).realm_name === 'master'
    const isOfSiteA = siteA.signed(token) && claimsIn(token).realm_name === 'site-a'
    return (isOfMaster || isOfSiteA) && !this.#revoked.has(token)
  }
}

function basicIn(authorization: string): (string | undefined)[] {
  const pair = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()
  return pair.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) {
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  return request.headers['content-type'] === 'application/json'
    ? JSON.parse(text)
    : Object.fromEntries(new URLSearchParams(text))
}
