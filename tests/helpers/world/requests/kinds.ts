import type { SurfaceName } from '#configuration/surfaces'
import type { CataloguedRoute } from '#http/route_catalogue'
import type { Kind } from '#records/kind'
import type { Attributes } from '#records/row'
import { set } from '#tests/functional/core/analysis_scene'
import { allKinds } from '#tests/helpers/records/all_kinds'
import { sampleBody, sampleRecord } from '#tests/helpers/sample_records'
import type { RealmName } from '#tests/helpers/world/people'
import type { Row } from '#tests/helpers/world/row'
import type { World } from '#tests/helpers/world/world'
import type { WorldRequest } from '#tests/helpers/world/world_request'

export type RequestMaker = (world: World) => Promise<WorldRequest>

/** Bodies that change something, where an empty one would not ask for the permission in question. */
const CHANGES: Readonly<Record<string, Attributes>> = {
  projectNode: { approvalStatus: 'approved' },
  project: { description: 'Another description' },
  node: { hidden: true },
  analysis: { displayName: 'Another name' },
  registryProject: { name: 'another-name' },
  registry: { accountName: 'another-account' },
  realm: { displayName: 'Another name' },
  user: { displayName: 'Another name' },
  client: { displayName: 'Another name' },
  role: { displayName: 'Another name' },
  permission: { displayName: 'Another name' },
  scope: { displayName: 'Another name' },
}

/** Records of a realm, and those that another realm decides about. */
const OF_REALMS: readonly [RealmName, RealmName][] = [
  ['institute', 'north'],
  ['north', 'south'],
]

/**
 * What to send for a route of a kind: about a record of each of two realms, or one that belongs to the installation.
 * Undefined for any other route.
 */
export function requestsOfKind({
  surface,
  path,
  method,
}: CataloguedRoute): readonly RequestMaker[] | undefined {
  const served = allKinds.find(
    ({ kind, surface: name }) =>
      name === surface.name &&
      (path === `${kind.collection}/:id` ||
        (path === kind.collection && (method === 'GET' || kind.createBody)))
  )
  if (!served) {
    return undefined
  }
  const { kind } = served
  const isCreation = method === 'POST' && path === kind.collection
  const realms = ownersOf(kind).length > 0 || isCreation ? OF_REALMS : OF_REALMS.slice(0, 1)
  return realms.map(
    (pair) => (world: World) =>
      isCreation
        ? creation(served.surface, kind, pair[0], world)
        : about(served.surface, kind, pair, { world, method, isList: path === kind.collection })
  )
}

interface Ask {
  readonly world: World
  readonly method: string
  readonly isList: boolean
}

async function about(
  surface: SurfaceName,
  kind: Kind,
  [realm, nodeRealm]: readonly [RealmName, RealmName],
  { world, method, isList }: Ask
): Promise<WorldRequest> {
  const row = await rowOf(surface, kind, { world, realm, nodeRealm })
  const path = isList
    ? `${kind.collection}?${filterOn(kind, row.record)}`
    : `${kind.collection}/${row.id}`
  const body = method === 'POST' ? (CHANGES[kind.name] ?? {}) : undefined
  return { method, path, body, row, isList }
}

async function creation(
  surface: SurfaceName,
  kind: Kind,
  realm: RealmName,
  { realms }: World
): Promise<WorldRequest> {
  const realmId = realms[realm]
  const body: Record<string, unknown> = { ...(await sampleBody(surface, kind, realmId)) }
  const takes = kind.createBody!.jsonSchema().properties as object
  if (kind.realm !== undefined && kind.realm in takes) {
    body[kind.realm] = realmId
  }
  const row = { name: `a new ${kind.label} of the ${realm}`, id: '', realmId }
  return { method: 'POST', path: kind.collection, body, row }
}

interface Where {
  readonly world: World
  readonly realm: RealmName
  readonly nodeRealm: RealmName
}

async function rowOf(
  surface: SurfaceName,
  kind: Kind,
  { world, realm, nodeRealm }: Where
): Promise<Row & { readonly record: Attributes }> {
  const realmId = world.realms[realm]
  const nodeRealmId = world.realms[nodeRealm]
  const owners = ownersOf(kind).filter((name) => name !== 'id')
  const given = Object.fromEntries(
    owners.map((name) => [name, name === 'nodeRealmId' ? nodeRealmId : realmId])
  )
  const granted = surface === 'identity' ? await grantedIn(realmId, kind) : {}
  const record = await sampleRecord(surface, kind, { ...given, ...granted })
  if (kind.name === 'projectNode') {
    await set('project_nodes', record.id, { approval_status: null })
  }
  return {
    name: `a ${kind.label} of the ${realm}`,
    id: record.id as string,
    realmId: kind.realm === 'id' ? (record.id as string) : owners.length > 0 ? realmId : null,
    nodeRealmId: owners.includes('nodeRealmId') ? nodeRealmId : undefined,
    clientId: record.clientId as string | undefined,
    record,
  }
}

/** What an assignment gives, made up by the realm: nobody in it has more than its administrators by that. */
async function grantedIn(realmId: string, { relations }: Kind): Promise<Attributes> {
  if (!('permission' in relations)) {
    return {}
  }
  const { by, to } = relations.permission!
  return { [by]: (await sampleRecord('identity', to(), { realmId })).id }
}

/** A filter that only this record meets. */
function filterOn({ declaration, relations }: Kind, record: Attributes): string {
  const allowed = declaration.filters?.allowed ?? []
  if (allowed.includes('id')) {
    return `filter[id]=${record.id}`
  }
  const name = Object.values(relations).find(({ by }) => allowed.includes(by))!.by
  return `filter[${name}]=${record[name]}`
}

const ownersOf = (kind: Kind): readonly string[] =>
  kind.realm === undefined ? kind.audience : [kind.realm]
