import type { Page, View } from '#console/page'
import { clock } from '#kernel/clock'
import { readClient } from './client_page.js'
import { requireItsName } from './require_its_name.js'

const SECRET_BYTES = 24

/**
 * Replaces the secret of a client. The new secret is only in this response: not in a URL, a cookie, a log or an event,
 * and the page is not cached.
 */
export async function rotateClient(page: Page): Promise<View> {
  const id = page.uuid('id')
  await requireItsName(page, `/clients/${id}`)
  const secret = clock.random(SECRET_BYTES).toString('base64url')
  await page.hub.post('identity', `/clients/${id}`, { secret })
  const { client, view } = await readClient(page)
  return page.view('people/secret', {
    ...view,
    client,
    secret,
    title: page.t('people.client.newSecret.title', { name: client.name }),
    crumbs: [...view.crumbs, { path: `/people/clients/${id}`, text: client.name }],
  })
}
