import { test } from '@japa/runner'

import type { Access } from '#kernel/access'
import { catalogue, type CataloguedRoute } from '#http/route_catalogue'
import { realm } from '#identity/realms/realm'
import type { Kind } from '#records/kind'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import type { SurfaceName } from '#configuration/surfaces'
import { allKinds } from '#tests/helpers/records/all_kinds'
import { at, boot, isTogether } from '#tests/helpers/application'
import {
  CALLERS,
  permissionsOf,
  personFor,
  type Caller,
  type Person,
  type Realms,
} from '#tests/helpers/permissions/matrix_people'
import { participationMatrix } from '#tests/helpers/permissions/matrix_participation'
import { storageMatrix } from '#tests/helpers/permissions/matrix_storage'
import { strengthMatrix } from '#tests/helpers/permissions/matrix_strength'
import { hasRealm, sampleBody, sampleRecord } from '#tests/helpers/sample_records'

await boot()

/** What everybody may ask for. Whatever else is open to everybody is a mistake. */
const PUBLIC = [
  /^\/$/,
  /^\/health\/(live|ready)$/,
  /^\/docs(\/openapi\.json)?$/,
  /^\/probe\//,
  /^\/(sign-in|callback|signed-out|assets\/:file)$/,
  /^\/token(\/introspect|\/revoke)?$/,
  /^\/(authorize|account|logout)$/,
  /^\/realms(\/:id)?$/,
  /^(\/realms\/:realm)?\/(jwks|\.well-known\/openid-configuration)$/,
]

type Expected = Partial<Record<Caller, number>>

const everyone = (status: number, ...others: Caller[]): Expected =>
  Object.fromEntries(CALLERS.filter((caller) => !others.includes(caller)).map((c) => [c, status]))

/** For their own realm only; others do not learn that they exist. */
const UNSEEN_ELSEWHERE: Expected = { 'a user of another realm': 404 }

/** However many permissions a caller holds. */
const FOR_MASTER_ONLY: Expected = { 'an owner of the realm': 403, 'a user of another realm': 403 }

/** Without the permission to read others, only oneself is seen. */
const ONLY_ONESELF: Expected = everyone(404, 'nobody', 'an owner of the realm', 'a master admin')

/** It takes the permission or an approved node, which none of these has. */
const TAKING_PART: Expected = { 'a user without permissions': 403, 'an analysis client': 403 }

/** It takes the permission, or to have made the bucket or the file, which none of these has. */
const MADE_BY_OTHERS: Expected = {
  'a user without permissions': 403,
  'a node client': 403,
  'an analysis client': 403,
}

/** However many permissions a person holds. */
const FOR_MACHINES: Expected = { 'a master admin': 403 }

/** No permission reaches into the storage of another realm. */
const OF_ANOTHER_REALM: Expected = { 'a user of another realm': 403 }

/** What does not follow from the declaration of a route: the service knows more than that. */
const EXCEPTIONS: Record<string, Expected> = {
  'identity.createRealm': FOR_MASTER_ONLY,
  'identity.deleteRealm': FOR_MASTER_ONLY,
  'identity.readUser': { ...ONLY_ONESELF, ...UNSEEN_ELSEWHERE },
  'identity.readClient': { ...ONLY_ONESELF, ...UNSEEN_ELSEWHERE },
  'identity.readRole': UNSEEN_ELSEWHERE,
  'identity.readPermission': UNSEEN_ELSEWHERE,
  'identity.readScope': UNSEEN_ELSEWHERE,
  'identity.readPolicy': UNSEEN_ELSEWHERE,
  'identity.readIdentityProvider': UNSEEN_ELSEWHERE,
  'identity.readClientScope': UNSEEN_ELSEWHERE,
  'identity.readUserRole': UNSEEN_ELSEWHERE,
  'identity.readUserPermission': UNSEEN_ELSEWHERE,
  'identity.readRolePermission': UNSEEN_ELSEWHERE,
  'identity.readClientRole': UNSEEN_ELSEWHERE,
  'identity.readClientPermission': UNSEEN_ELSEWHERE,
  'core.createAnalysisBucketFile': TAKING_PART,
  'core.updateAnalysisBucketFile': TAKING_PART,
  'core.deleteAnalysisBucketFile': TAKING_PART,
  'telemetry.readEvent': UNSEEN_ELSEWHERE,
  'storage.readBucket': OF_ANOTHER_REALM,
  'storage.readBucketFile': OF_ANOTHER_REALM,
  'storage.updateBucket': MADE_BY_OTHERS,
  'storage.deleteBucket': MADE_BY_OTHERS,
  'storage.deleteBucketFile': MADE_BY_OTHERS,
  'core.readStorageReach': FOR_MACHINES,
  'core.removeCodeRecords': FOR_MACHINES,
  'storage.removeFromBuckets': FOR_MACHINES,
  'storage.readBucketLocks': FOR_MACHINES,
  'storage.lockBuckets': FOR_MACHINES,
  'storage.releaseBucketLock': FOR_MACHINES,
  // It reads tokens by itself, and knows those of the provider only.
  'identity.readUserinfo': everyone(401),
}

const routes = catalogue.all().filter(({ path }) => !path.startsWith('/probe/'))
const nameOf = ({ surface, operation }: CataloguedRoute) => `${surface.name}.${operation.name}`

test.group('Declarations of routes', () => {
  test('each says what it needs, under a name of its own', async ({ assert }) => {
    const app = await boot()
    const router = await app.container.make('router')
    const declared = new Map(catalogue.all().map((route) => [nameOf(route), route]))
    const served = Object.values(router.toJSON()).flat()
    assert.isNotEmpty(served)
    for (const { pattern, methods, name } of served) {
      const route = declared.get(name ?? '')
      assert.isDefined(route, `${methods} ${pattern} is served and declares nothing`)
      assert.include(
        ['public', 'identity', 'session', 'permissions'],
        route!.operation.access?.kind,
        pattern
      )
      assert.include(methods, route!.method, `${pattern} is declared under the name of another`)
    }
    assert.equal(declared.size, catalogue.all().length, 'two routes have the same name')
  })

  test('routes are open to everybody only where that is meant', ({ assert }) => {
    const open = catalogue.all().filter(({ operation }) => operation.access.kind === 'public')
    for (const { path, surface, method } of open) {
      const isMeant = PUBLIC.some((pattern) => pattern.test(path)) || method === 'OPTIONS'
      assert.isTrue(isMeant, `${path} of ${surface.name} is open to everybody`)
    }
  })

  test('routes ask for permissions that exist', ({ assert }) => {
    for (const route of routes) {
      const names = permissionsOf(route.operation.access)
      assert.isTrue(route.operation.access.kind !== 'permissions' || names.length > 0)
      names.forEach((name) => assert.match(name, /^[a-z]+(_[a-z]+)+$/, nameOf(route)))
    }
  })

  test('exceptions are those of routes there are', ({ assert }) => {
    const names = new Set(routes.map(nameOf))
    Object.keys(EXCEPTIONS).forEach((name) => assert.isTrue(names.has(name), name))
  })
})

test.group('Permission matrix', () => {
  for (const route of routes) {
    test(`${route.method} ${route.path} of ${route.surface.name}`, async ({ assert }) => {
      if (route.surface.name === 'hub' && !isTogether()) {
        return
      }
      for (const caller of CALLERS) {
        const { status, expected } = await tried(route, caller)
        assert.include(expected, status, `${caller} is answered with ${status}`)
      }
    }).timeout(60_000)
  }
})

strengthMatrix()
participationMatrix()
storageMatrix()

interface Attempt {
  readonly path: string
  readonly body?: Attributes
  readonly realms: Realms
  /** Whether the realm of a new record is that of the records it belongs to. */
  readonly isBound: boolean
}

async function tried(route: CataloguedRoute, caller: Caller) {
  const kind = kindOf(route)
  const attempt = kind ? await attemptAt(route, kind) : await blindAttempt(route)
  const person = personFor(caller, attempt.realms)
  const response = await fetch(at(route.surface.name, attempt.path), {
    method: route.method,
    headers: { ...person?.headers, 'content-type': 'application/json' },
    body: attempt.body && JSON.stringify(attempt.body),
    redirect: 'manual',
  })
  await (isEndless(response) ? response.body!.cancel() : response.arrayBuffer())
  const exception = EXCEPTIONS[nameOf(route)]?.[caller]
  const expected = exception === undefined ? expectedOf(route, kind, person, attempt) : [exception]
  return { status: response.status, expected }
}

/** Whether the answer goes on until its reader leaves. */
const isEndless = ({ headers }: Response) =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

/** What the declaration promises a caller: one status, or those of a route that was asked without knowing what for. */
function expectedOf(
  route: CataloguedRoute,
  kind: Kind | undefined,
  person: Person | undefined,
  { isBound }: Attempt
): readonly number[] {
  const { access, entry } = route.operation
  if (access.kind === 'session') {
    // A token is no session: a page leads to the sign-in, a form or a stream is refused.
    return [route.operation.responses[401] ? 401 : 303]
  }
  if (access.kind !== 'public' && !person) {
    return [401]
  }
  if (!mayEnter(access, person)) {
    return entry && !kind ? [400, 403] : [403]
  }
  if (!kind) {
    return ENTERED
  }
  const isCreation = route.path === kind.collection
  const isOfRealm = isCreation ? isBound : realmsOf(kind).length > 0
  const isForeign = route.method !== 'GET' && isOfRealm && !person!.isOfRealm
  return [isForeign ? 403 : statusOf(route, isCreation)]
}

/** Whatever a route may answer a caller that it let in and that sent nothing useful. */
const ENTERED = [200, 201, 202, 204, 302, 303, 304, 400, 404, 405, 409, 412, 415]

function statusOf({ method }: CataloguedRoute, isCollection: boolean): number {
  if (method === 'GET') {
    return 200
  }
  return method === 'POST' && isCollection ? 201 : 202
}

function mayEnter(access: Access, person: Person | undefined): boolean {
  if (access.kind !== 'permissions') {
    return true
  }
  const holds = (name: string) => person!.permissions.has(name)
  if ('any' in access) {
    return access.any.some(holds)
  }
  return access.all.every(holds) && (!access.isCentral || person!.isOfMaster)
}

function kindOf({ surface, path, method }: CataloguedRoute): Kind | undefined {
  const served = allKinds.filter((candidate) => candidate.surface === surface.name)
  return served.find(
    ({ kind }) =>
      path === `${kind.collection}/:id` ||
      (path === kind.collection && (method === 'GET' || (method === 'POST' && kind.createBody)))
  )?.kind
}

async function attemptAt(route: CataloguedRoute, kind: Kind): Promise<Attempt> {
  const surface = route.surface.name as SurfaceName
  const { own, other } = await twoRealms()
  if (route.path === kind.collection) {
    const creation = route.method === 'POST' ? await bodyIn(own, surface, kind) : { isBound: false }
    return { path: kind.collection, realms: { own, other }, ...creation }
  }
  const owners = realmsOf(kind).filter((name) => name !== 'id')
  const given = Object.fromEntries(owners.map((name) => [name, own]))
  const grants = surface === 'identity' ? await grantedIn(own, kind) : {}
  const record = await sampleRecord(surface, kind, { ...given, ...grants })
  return {
    path: `${kind.collection}/${record.id}`,
    body: route.method === 'POST' ? {} : undefined,
    realms: { own: kind.realm === 'id' ? (record.id as string) : own, other },
    isBound: false,
  }
}

/** What an assignment gives, made up by the realm: nobody in it holds more than its owner by that. */
async function grantedIn(realmId: string, { relations }: Kind): Promise<Attributes> {
  if (!('permission' in relations)) {
    return {}
  }
  const { by, to } = relations.permission!
  return { [by]: (await sampleRecord('identity', to(), { realmId })).id }
}

/** A body for a new record all of whose relations belong to one realm, which it shares unless it has a choice. */
async function bodyIn(realmId: string, surface: SurfaceName, kind: Kind) {
  const body = await sampleBody(surface, kind, realmId)
  const owners = Object.values(kind.relations).filter(({ by }) => body[by] !== undefined)
  const chosen = Object.keys(kind.createBody!.jsonSchema().properties as object)
  const hasChoice = realmsOf(kind).every((name) => chosen.includes(name))
  return { body, isBound: !hasChoice && owners.some(({ to }) => hasRealm(to())) }
}

/** The columns with the realms whose members may write a record: one, or those of two that it stands between. */
const realmsOf = (kind: Kind): readonly string[] => {
  return kind.realm === undefined ? kind.audience : [kind.realm]
}

async function blindAttempt({ path, method }: CataloguedRoute): Promise<Attempt> {
  return {
    path: path.replace(/:\w+/g, () => clock.uuid()),
    body: method === 'POST' ? {} : undefined,
    realms: await twoRealms(),
    isBound: false,
  }
}

let realms: Promise<Realms> | undefined

/** Where all records of the matrix are, and where strangers come from. */
const twoRealms = () => (realms ??= newRealms())

async function newRealms(): Promise<Realms> {
  const [own, other] = await Promise.all([
    sampleRecord('identity', realm),
    sampleRecord('identity', realm),
  ])
  return { own: own.id as string, other: other.id as string }
}
