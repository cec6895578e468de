import type { UnknownPeople } from '#core/removals'
import type { UpcomingChange } from './upcoming_change.js'

const REALM = 'is unknown to the identity provider: all records of this realm are removed'
const USER = 'is unknown to the identity provider: records that name this user name nobody'

/** What happens to the records of realms and users that the identity provider does not know. */
export async function* peopleChanges(
  ask: () => Promise<UnknownPeople>
): AsyncGenerator<UpcomingChange, void, void> {
  const { realms, users } = await ask()
  yield* realms.map((id) => ({ table: 'core.realms', problem: REALM, id }))
  yield* users.map((id) => ({ table: 'core.users', problem: USER, id }))
}
