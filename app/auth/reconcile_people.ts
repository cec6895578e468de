import { IdentityUnavailable } from '#kernel/failures'
import type { IdentityProvider, PeopleDirectory } from './provider.js'
import type { Sweep } from '#jobs/sweep'

import { enforceRemovalLimit } from './removal_limit.js'

const EVERY_MS = 60 * 60_000

/** The parts of a provider that are needed to reconcile people. */
export type PeopleReader = Pick<
  IdentityProvider,
  'people' | 'whenReady' | 'introspect' | 'ownToken'
>

interface Reconciliation {
  provider: PeopleReader
  /** The ids that records of the surface refer to. */
  referencedIds: () => Promise<readonly string[]>
  /** Removes references to a deleted id. Returns the number of records. */
  removeReferences: (id: string) => Promise<number>
}

/** Removes data of deleted realms whose event was missed. */
export function realmSweep(options: Reconciliation): Sweep {
  return peopleSweep('deleted-realms', options, REALMS)
}

/** Removes references to deleted users whose event was missed. */
export function userSweep(options: Reconciliation): Sweep {
  return peopleSweep('deleted-users', options, USERS)
}

/** Those of these realms that the provider does not know. */
export const missingRealms = (provider: PeopleReader, referenced: readonly string[]) =>
  missingPeople(provider, REALMS, referenced)

/** Those of these users that the provider does not know. */
export const missingUsers = (provider: PeopleReader, referenced: readonly string[]) =>
  missingPeople(provider, USERS, referenced)

interface DirectoryQueries {
  readonly what: string
  /** Lists the visible ids, and one of them to verify lookups with. */
  list: (people: PeopleDirectory, ownRealm: string | null) => Promise<DirectoryListing>
  has: (people: PeopleDirectory, id: string) => Promise<boolean>
}

interface DirectoryListing {
  readonly ids: { has(id: string): boolean; readonly size: number }
  readonly known: string | undefined
}

const REALMS: DirectoryQueries = {
  what: 'realms',
  async list(people, ownRealm) {
    const ids = await people.realmIds()
    return { ids, known: [...ids].find((id) => id !== ownRealm) ?? [...ids][0] }
  },
  has: (people, id) => people.hasRealm(id),
}

/** Prefers a user of another realm: a client may be limited to its own. */
const USERS: DirectoryQueries = {
  what: 'users',
  async list(people, ownRealm) {
    const [ids, realmIds] = await Promise.all([people.users(), people.realmIds()])
    const [known] = [...ids].find(([, realmId]) => realmIds.size < 2 || realmId !== ownRealm) ?? []
    return { ids, known }
  },
  has: (people, id) => people.hasUser(id),
}

function peopleSweep(name: string, options: Reconciliation, registry: DirectoryQueries): Sweep {
  return {
    name,
    schedule: { everyMs: EVERY_MS },
    run: (signal) => reconcilePeople(options, registry, signal),
  }
}

/** References are read first, so that a user created later is in the provider's list. */
async function reconcilePeople(
  { provider, referencedIds, removeReferences }: Reconciliation,
  registry: DirectoryQueries,
  signal: AbortSignal
): Promise<number> {
  const missing = await missingPeople(provider, registry, await referencedIds())
  enforceRemovalLimit(missing.length, registry.what)
  let removed = 0
  for (const id of missing) {
    if (signal.aborted) {
      break
    }
    removed += await removeReferences(id)
  }
  return removed
}

/**
 * An unlisted id is looked up on its own, and so is one that is known to exist: if the provider does not find that one
 * either, it is not believed.
 */
async function missingPeople(
  provider: PeopleReader,
  registry: DirectoryQueries,
  referenced: readonly string[]
): Promise<string[]> {
  await provider.whenReady()
  const { people } = provider
  if (!people) {
    return []
  }
  const introspection = people.showsEverybody
    ? undefined
    : await provider.introspect(await provider.ownToken())
  const { ids, known } = await registry.list(people, introspection?.realm_id ?? null)
  const unlisted = referenced.filter((id) => !ids.has(id))
  if (ids.size > 0 && unlisted.length === 0) {
    return []
  }
  if (!people.showsEverybody && (known === undefined || !(await registry.has(people, known)))) {
    throw incompleteDirectory(registry)
  }
  const missing: string[] = []
  for (const id of unlisted) {
    if (!(await registry.has(people, id))) {
      missing.push(id)
    }
  }
  return missing
}

function incompleteDirectory({ what }: DirectoryQueries): IdentityUnavailable {
  return new IdentityUnavailable(
    `The identity provider does not list the ${what} of all realms, so nothing was removed: ` +
      'grant its client of the platform realm_read and user_read with realm scope any'
  )
}
