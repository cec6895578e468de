import type { Page } from '#console/page'
import { everyRecord } from '#console/every_record'
import { byName, present } from './grants.js'
import type { AssignmentRow, ClientRow, UserRow } from './identity_rows.js'

/** Users and clients; undefined if the reader may not see them. */
export interface Holders {
  readonly users: readonly UserRow[] | undefined
  readonly clients: readonly ClientRow[] | undefined
}

/** The accounts with a role, or with a directly granted permission. */
export async function holdersOf(
  page: Page,
  what: 'role' | 'permission',
  id: string
): Promise<Holders> {
  const assigned = (owner: 'user' | 'client') =>
    page.hub.optional(
      everyRecord<AssignmentRow>(page.hub, 'identity', `/${owner}-${what}s`, {
        [`filter[${what}Id]`]: id,
        include: `${owner},${owner}.realm`,
      })
    )
  const [byUser, byClient] = await Promise.all([assigned('user'), assigned('client')])
  return {
    users: byUser && byName(present(byUser.map(({ user }) => user))),
    clients: byClient && byName(present(byClient.map(({ client }) => client))),
  }
}
