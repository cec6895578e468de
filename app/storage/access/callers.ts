import app from '@adonisjs/core/services/app'

import type { Actor } from '#kernel/actor'
import { isMasterMember } from '#kernel/realm'
import { storageSettings } from '#storage/storage_settings'
import type { Reach, ReachQuery } from './analysis_reach.js'
import { CachedReach } from './cached_reach.js'

const READS = [
  'analysis_update',
  'analysis_approve',
  'analysis_execution_start',
  'analysis_execution_stop',
  'bucket_update',
  'bucket_delete',
]
const WRITES = ['analysis_update', 'bucket_update']

/** Clients and robots have access to all realms unless strict realms are on. */
export function hasFullAccess({ kind }: Actor): boolean {
  return kind !== 'user' && !storageSettings().isRealmStrict
}

/** Whether a permission lets the actor read, or write, the buckets of the analyses of its realm. */
export function holdsAnyFor({ permissions }: Actor, mode: 'read' | 'upload'): boolean {
  return (mode === 'read' ? READS : WRITES).some((name) => permissions.has(name))
}

/** Whether a permission of the actor counts in this realm. */
export function isInside(actor: Actor, realmId: string | null): boolean {
  return isMasterMember(actor) || (realmId !== null && realmId === actor.realmId)
}

/** Who builds images, with the accounts of registries, reads code. */
export function builds(actor: Actor): boolean {
  return actor.kind !== 'user' && isMasterMember(actor) && actor.permissions.has('registry_manage')
}

/**
 * Whether the reach of a person has to be fetched from core: what a user created, and what the own realm decides about.
 */
export function dependsOnCore(actor: Actor): boolean {
  return actor.kind === 'user' || decidesFor(actor) !== null
}

export function reachQuery(actor: Actor): ReachQuery {
  return { kind: actor.kind, id: actor.id.toLowerCase(), decidesFor: decidesFor(actor) }
}

export const cachedReach = (): Promise<CachedReach> => app.container.make(CachedReach)

/** What record a client acts for. A client of an analysis or a node acts for that, never for its realm. */
export async function programOf(actor: Actor): Promise<Reach['program']> {
  if (actor.kind !== 'client' || hasFullAccess(actor)) {
    return null
  }
  const reach = await cachedReach()
  return reach.programOf(reachQuery(actor))
}

function decidesFor({ permissions, realmId }: Actor): string | null {
  return permissions.has('analysis_approve') ? realmId : null
}
