import { IdentityUnavailable } from '#http/failures'
import type { IdentityProvider, PeopleDirectory } from '#identity/provider'
import type { Sweep } from '#jobs/sweep'

const EVERY_MS = 60 * 60_000

interface Reconciliation {
  provider: Pick<IdentityProvider, 'people'>
  /** The ids that records here refer to. */
  held: () => Promise<readonly string[]>
  /** Removes what refers to an id that does not exist any more; answers how many records that were. */
  forget: (id: string) => Promise<number>
}

/** Removes what belongs to realms that are gone, where nobody was there to hear of it. */
export function realmSweep(options: Reconciliation): Sweep {
  return peopleSweep('gone-realms', options, (people) => people.realmIds())
}

/** Lets go of users that are gone, where nobody was there to hear of it. */
export function userSweep(options: Reconciliation): Sweep {
  return peopleSweep('gone-users', options, (people) => people.userIds())
}

type Existing = (people: PeopleDirectory) => Promise<ReadonlySet<string>>

function peopleSweep(name: string, options: Reconciliation, existing: Existing): Sweep {
  return {
    name,
    schedule: { everyMs: EVERY_MS },
    run: (signal) => reconcilePeople(options, existing, signal),
  }
}

/**
 * What is held is read first: whoever is new after that is in the provider's answer, and not taken for gone. A provider
 * that does not tell, or that shows nobody at all, is not believed.
 */
async function reconcilePeople(
  { provider: { people }, held, forget }: Reconciliation,
  existing: Existing,
  signal: AbortSignal
): Promise<number> {
  if (!people) {
    return 0
  }
  const ours = await held()
  const theirs = await existing(people)
  if (theirs.size === 0) {
    throw new IdentityUnavailable(
      'The identity provider shows nobody; nothing was removed for that'
    )
  }
  let removed = 0
  for (const id of ours.filter((candidate) => !theirs.has(candidate))) {
    if (signal.aborted) {
      break
    }
    removed += await forget(id)
  }
  return removed
}
