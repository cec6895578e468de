import { randomBytes } from 'node:crypto'

import type { Page, Redirect, View } from '#console/page'
import type { PageHandler } from '#console/page_runner'
import { readClient } from './client_page.js'

const SECRET_BYTES = 24

/**
 * Replaces the secret of a program. The new one is only in this answer: not in an address, a cookie, a log or an event,
 * and the page is not stored.
 */
export async function rotateClient(page: Page): Promise<View> {
  const id = page.uuid('id')
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
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

/** Blocks a program or unblocks it. */
export const changeClient =
  (active: boolean): PageHandler =>
  async (page): Promise<Redirect> => {
    const id = page.uuid('id')
    await page.hub.post('identity', `/clients/${id}`, { active })
    return page.redirect(
      `/people/clients/${id}`,
      active ? 'people.client.unblocked' : 'people.client.blocked'
    )
  }
