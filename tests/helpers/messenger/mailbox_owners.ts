import { randomUUID } from 'node:crypto'

import type { Party } from '#messenger/mailboxes/party'
import type { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'

/** Somebody with a mailbox and a token. */
export interface MailboxOwner extends Party {
  readonly token: string
}

/** Clients of the master realm that may do nothing but what everybody may. */
export function mailboxOwners(standIn: StandInProvider, count: number): MailboxOwner[] {
  const { master } = standIn.realms
  const realm = { realm_id: master.id, realm_name: 'master', iss: `${standIn.url}/realms/master` }
  return Array.from({ length: count }, (): MailboxOwner => {
    const { id } = standIn.records.add('clients', { name: randomUUID(), realmId: master.id })
    const claims = { ...realm, sub: id, sub_kind: 'client', client_id: id }
    return { type: 'client', id, token: standIn.mint(claims) }
  })
}
