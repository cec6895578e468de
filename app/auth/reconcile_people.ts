import { IdentityUnavailable } from '#kernel/failures'
import type { IdentityProvider, PeopleDirectory } from './provider.js'
import type { Sweep } from '#jobs/sweep'

import { requireFew } from './few_at_once.js'

const EVERY_MS = 60 * 60_000

interface Reconciliation {
  provider: Pick<IdentityProvider, 'people' | 'known' | 'introspect' | 'ownToken'>
  /** The ids that records here refer to. */
  held: () => Promise<readonly string[]>
  /** Removes what refers to an id that does not exist any more; answers how many records that were. */
  forget: (id: string) => Promise<number>
}

/** Removes what belongs to realms that are gone, where no process was there to receive the event. */
export function realmSweep(options: Reconciliation): Sweep {
  return peopleSweep('gone-realms', options, REALMS)
}

/** Lets go of users that are gone, where no process was there to receive the event. */
export function userSweep(options: Reconciliation): Sweep {
  return peopleSweep('gone-users', options, USERS)
}

interface Registry {
  readonly what: string
  /** Whom the provider shows, and one of them to ask for who has to be found by its id. */
  shown: (people: PeopleDirectory, ownRealm: string | null) => Promise<Shown>
  has: (people: PeopleDirectory, id: string) => Promise<boolean>
}

interface Shown {
  readonly ids: { has(id: string): boolean; readonly size: number }
  readonly known: string | undefined
}

const REALMS: Registry = {
  what: 'realms',
  async shown(people, ownRealm) {
    const ids = await people.realmIds()
    return { ids, known: [...ids].find((id) => id !== ownRealm) ?? [...ids][0] }
  },
  has: (people, id) => people.hasRealm(id),
}

/** A user of another realm, where there is another: a client may be shown those of its own realm only. */
const USERS: Registry = {
  what: 'users',
  async shown(people, ownRealm) {
    const [ids, realmIds] = await Promise.all([people.users(), people.realmIds()])
    const [known] = [...ids].find(([, realmId]) => realmIds.size < 2 || realmId !== ownRealm) ?? []
    return { ids, known }
  },
  has: (people, id) => people.hasUser(id),
}

function peopleSweep(name: string, options: Reconciliation, registry: Registry): Sweep {
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
  { provider, held, forget }: Reconciliation,
  registry: Registry,
  signal: AbortSignal
): Promise<number> {
  await provider.known()
  const { people } = provider
  if (!people) {
    return 0
  }
  const ours = await held()
  const own = people.showsEverybody
    ? undefined
    : await provider.introspect(await provider.ownToken())
  const { ids, known } = await registry.shown(people, own?.realm_id ?? null)
  const unseen = ours.filter((id) => !ids.has(id))
  if (ids.size > 0 && unseen.length === 0) {
    return 0
  }
  if (!people.showsEverybody && (known === undefined || !(await registry.has(people, known)))) {
    throw notBelieved(registry)
  }
  const gone: string[] = []
  for (const id of unseen) {
    if (!(await registry.has(people, id))) {
      gone.push(id)
    }
  }
  requireFew(gone.length, registry.what)
  let removed = 0
  for (const id of gone) {
    if (signal.aborted) {
      break
    }
    removed += await forget(id)
  }
  return removed
}

function notBelieved({ what }: Registry): IdentityUnavailable {
  return new IdentityUnavailable(
    `The identity provider does not show the ${what} of all realms, so nobody was taken for gone; ` +
      'the client of the platform needs realm_read and user_read with realm scope any'
  )
}
