import type { Page, View } from '#console/page'
import { nameWithRealm } from './name_with_realm.js'
import { grantsOf } from './grants.js'
import type { SessionRow, UserRow } from './identity_rows.js'

/** Shows a user: permissions, sessions, and the actions on the account. */
export async function showUser(page: Page): Promise<View> {
  const id = page.uuid('id')
  const path = `/users/${id}`
  const [{ data: user }, grants, sessions] = await Promise.all([
    page.hub.read<{ data: UserRow }>('identity', path, { include: 'realm' }),
    grantsOf(page, 'user', id),
    page.hub.optional(page.hub.read<{ data: SessionRow[] }>('identity', `${path}/sessions`)),
  ])
  return page.view('people/user', {
    title: user.displayName ?? user.name,
    crumbs: [{ path: '/people', text: page.t('people.users.title') }],
    user,
    grants,
    sessions: sessions?.data,
    isOwn: page.actor.id === user.id,
    mayChange: page.may('user_update'),
    named: nameWithRealm(user),
    events: `/audit?who=${user.id}`,
    changes: `/audit?kind=user&record=${user.id}`,
  })
}
