import { identityPool } from '#identity/embedded/database'
import { REALMS } from '#tests/helpers/identities'

/** Inserts the realms of test identities into the provider, whose records refer to them. */
export async function knownRealms(): Promise<void> {
  for (const [name, id] of Object.entries(REALMS)) {
    await identityPool().query(
      'insert into realms (id, name) values ($1, $2) on conflict do nothing',
      [id, `made-up-${name}`]
    )
  }
}
