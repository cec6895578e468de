import { isUuid } from '#kernel/is_uuid'
import type { Page, View } from '#console/page'
import { nameWithRealm } from './name_with_realm.js'
import { grantsOf } from './grants.js'
import type { ClientRow } from './identity_rows.js'

/** Shows a client: its permissions, and the actions on it. */
export async function showClient(page: Page): Promise<View> {
  const { client, view } = await readClient(page)
  return page.view('people/client', { ...view, client })
}

/**
 * The attributes that pages of a client show. Clients of nodes and analyses are named after their record, whose pages
 * replace their secrets.
 */
export async function readClient(page: Page) {
  const id = page.uuid('id')
  const [{ data: client }, grants] = await Promise.all([
    page.hub.read<{ data: ClientRow }>('identity', `/clients/${id}`, {
      include: 'realm',
      // The secret is excluded: each read of it is an audit event.
      fields: FIELDS.join(),
    }),
    grantsOf(page, 'client', id),
  ])
  return {
    client,
    view: {
      title: client.displayName ?? client.name,
      crumbs: [{ path: '/people/clients', text: page.t('people.clients.title') }],
      grants,
      isOfRecord: isUuid(client.name),
      hasSecret: client.authMethod === 'secret',
      mayChange: page.may('client_update'),
      named: nameWithRealm(client),
      events: `/audit?who=${client.id}`,
      changes: `/audit?kind=client&record=${client.id}`,
    },
  }
}

const FIELDS = [
  'id',
  'name',
  'displayName',
  'description',
  'active',
  'builtIn',
  'authMethod',
  'grantTypes',
  'redirectUri',
  'realmId',
  'createdAt',
  'updatedAt',
] as const
