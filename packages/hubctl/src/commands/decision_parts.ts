import { EXIT } from '#hubctl/exit_codes'
import { findRecord, type NamedRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import { NODES, REALMS } from '#hubctl/kinds/record_collections'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { mayWriteIn, readCaller } from '#hubctl/platform/caller'
import { Problem, UsageProblem } from '#hubctl/problem'

export type Verdict = 'approved' | 'rejected'

/** The participation of a node in a project or an analysis. The realm of the node approves or rejects it. */
export interface Part extends NamedRecord {
  readonly nodeId: string
  readonly nodeRealmId: string
  readonly approvalStatus: Verdict | null
  readonly node: { readonly name: string }
}

export interface PartOptions {
  readonly node?: string
  readonly realm?: readonly string[]
}

/**
 * Who may decide a part: the caller's own realm, the caller on behalf of a named realm or node,
 * the caller if the realm were named, or only others.
 */
export type Authority = 'own' | 'on behalf' | 'unnamed' | 'theirs'

/** The parts to decide: those pending in the named realms, or the one of the named node. */
export async function findPartsToDecide(
  api: Api,
  { service, path }: RecordCollection,
  condition: [string, string],
  { node, realm }: PartOptions
): Promise<Part[]> {
  const query: [string, string][] = [condition, ['include', 'node']]
  const parts = await allOf<Part>(api, service, path, { query })
  const realms = realm && (await Promise.all(realm.map((name) => findRecord(api, REALMS, name))))
  const matching = parts.filter(
    ({ nodeRealmId }) => realms?.some(({ id }) => id === nodeRealmId) ?? true
  )
  return node === undefined
    ? matching.filter(({ approvalStatus }) => approvalStatus === null)
    : [await findPart(api, matching, node)]
}

/** A part that is decided already may be decided again. */
async function findPart(api: Api, parts: readonly Part[], node: string): Promise<Part> {
  const { id } = await findRecord(api, NODES, node)
  const named = parts.find(({ nodeId }) => nodeId === id)
  if (!named) {
    throw new Problem(EXIT.notFound, `The node ${node} does not take part in it.`)
  }
  return named
}

/** Determines who may decide a part. The caller acts for other realms only if they, or their node, are named. */
export async function resolveAuthorities(
  api: Api,
  { node, realm }: PartOptions
): Promise<(part: Part) => Authority> {
  const caller = await readCaller(api)
  const isNamed = node !== undefined || realm !== undefined
  if (caller === undefined && !isNamed) {
    throw new UsageProblem(
      'The identity provider does not report your realm.',
      'Name what you decide for: --realm <realm> or --node <node>'
    )
  }
  return ({ nodeRealmId }) => {
    if (caller?.realmId === nodeRealmId) {
      return 'own'
    }
    if (caller && !mayWriteIn(caller, nodeRealmId)) {
      return 'theirs'
    }
    return isNamed ? 'on behalf' : 'unnamed'
  }
}
