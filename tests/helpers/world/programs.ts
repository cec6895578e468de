import {
  ANALYSIS_CLIENT_PERMISSIONS,
  ensurePermissions,
  NODE_CLIENT_PERMISSIONS,
} from '#auth/client_permissions'
import { identityProvider } from '#core/clients/identity_provider'
import { call } from '#tests/functional/core/analysis_scene'
import { makeClient, SYSTEM, unique } from '#tests/functional/identity/provider'
import { identity } from '#tests/helpers/identities'
import { identitySettings } from '#identity/identity_settings'
import { workerSecret } from '#configuration/worker_secret'
import type { WorldAnalysis, WorldNode } from './analyses.js'
import { loginBySecret, type Login } from './logins.js'
import { asIdentity, type Of, type WorldIdentity } from './world_identity.js'

const SECRET = 'a secret that nobody else knows'

/** Registers a node as a steward does. */
export async function registerNode(
  by: WorldIdentity,
  type: 'default' | 'aggregator' = 'default'
): Promise<WorldNode> {
  const answer = await call(by, 'POST', '/nodes', { name: unique('node'), type })
  const { id, clientId, realmId } = required(answer, 201).data
  await ensurePermissions(await directory(), clientId, { names: NODE_CLIENT_PERMISSIONS })
  return { id, clientId, realmId }
}

/** The client of a node, with the credentials that its steward hands over. */
export async function clientOfNode(
  name: string,
  node: WorldNode,
  steward: WorldIdentity
): Promise<WorldIdentity> {
  const answer = await call(steward, 'GET', `/nodes/${node.id}/client/credentials`)
  const { id, secret } = required(answer, 200)
  return programWith(name, await loginBySecret(id, secret), { nodeId: node.id })
}

/** The client of an analysis, with the credentials that somebody may fetch, such as a node that approved it. */
export async function clientOfAnalysis(
  name: string,
  { id: analysisId }: WorldAnalysis,
  by: WorldIdentity
): Promise<WorldIdentity> {
  const answer = await call(by, 'GET', `/analyses/${analysisId}/client/credentials`)
  await ensurePermissions(await directory(), answer.body.id, { names: ANALYSIS_CLIENT_PERMISSIONS })
  const { id, secret } = required(answer, 200)
  return programWith(name, await loginBySecret(id, secret), { analysisId })
}

/** A client that somebody made for a program of their own, without any permission. */
export async function clientOfRealm(name: string, realmId: string): Promise<WorldIdentity> {
  const { id } = await makeClient({ secret: SECRET, realmId })
  return programWith(name, await loginBySecret(id, SECRET))
}

/** A robot, which other providers than the embedded one have. */
export function robotOfRealm(name: string, realmId: string): WorldIdentity {
  const { actor } = identity({ kind: 'robot', realmId, realmName: 'site', permissions: [] })
  return asIdentity(name, actor)
}

/** The platform itself. */
export const systemClient = async (): Promise<WorldIdentity> =>
  programWith('the client system', await loginBySecret(SYSTEM.client_id, SYSTEM.client_secret))

export const workerClient = async (): Promise<WorldIdentity> =>
  programWith(
    'the client of the worker',
    await loginBySecret('worker', workerSecret(identitySettings().secrets))
  )

const programWith = (name: string, { actor, issued }: Login, of: Of = {}): WorldIdentity =>
  asIdentity(name, actor, { ...of, issued })

/** The clients of the provider, to which the platform grants the permissions of new records in the background. */
const directory = async () => (await identityProvider()).clients!

function required({ status, body }: { status: number; body: any }, expected: number): any {
  if (status !== expected) {
    throw new Error(`The world cannot be made: ${status} ${JSON.stringify(body)}`)
  }
  return body
}
