import { IdentityUnavailable } from '#kernel/failures'
import type { IdentityProvider, PeopleDirectory } from './provider.js'
import type { Sweep } from '#jobs/sweep'

import { enforceRemovalLimit } from './removal_limit.js'

const EVERY_MS = 60 * 60_000

interface Reconciliation {
  provider: Pick<IdentityProvider, 'people' | 'whenReady' | 'introspect' | 'ownToken'>
  /** The ids that records here refer to. */
  referencedIds: () => Promise<readonly string[]>
  /** Removes what refers to an id that does not exist any more; answers how many records that were. */
  removeReferences: (id: string) => Promise<number>
}

/** Removes what belongs to realms that are gone, where no process was there to receive the event. */
export function realmSweep(options: Reconciliation): Sweep {
  return peopleSweep('gone-realms', options, REALMS)
}

/** Lets go of users that are gone, where no process was there to receive the event. */
export function userSweep(options: Reconciliation): Sweep {
  return peopleSweep('gone-users', options, USERS)
}

interface DirectoryQueries {
  readonly what: string
  /** Whom the provider shows, and one of them to ask for who has to be found by its id. */
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

/** A user of another realm, where there is another: a client may be shown those of its own realm only. */
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

/**
 * What is held is read first: a user who is new after that is in the provider's answer, and not taken for gone. One who is not
 * in it is asked for by id, and so is one who is known to be there: a provider that does not find that one either is not believed.
 */
async function reconcilePeople(
  { provider, referencedIds: held, removeReferences: forget }: Reconciliation,
  registry: DirectoryQueries,
  signal: AbortSignal
): Promise<number> {
  await provider.whenReady()
  const { people } = provider
  if (!people) {
    return 0
  }
  const referenced = await held()
  const introspection = people.showsEverybody
    ? undefined
    : await provider.introspect(await provider.ownToken())
  const { ids, known } = await registry.list(people, introspection?.realm_id ?? null)
  const unlisted = referenced.filter((id) => !ids.has(id))
  if (ids.size > 0 && unlisted.length === 0) {
    return 0
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
  enforceRemovalLimit(missing.length, registry.what)
  let removed = 0
  for (const id of missing) {
    if (signal.aborted) {
      break
    }
    removed += await forget(id)
  }
  return removed
}

function incompleteDirectory({ what }: DirectoryQueries): IdentityUnavailable {
  return new IdentityUnavailable(
    `The identity provider does not show the ${what} of all realms, so nobody was taken for gone; ` +
      'the client of the platform needs realm_read and user_read with realm scope any'
  )
}
