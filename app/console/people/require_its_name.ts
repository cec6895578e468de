import type { Page } from '#console/page'
import type { UserRow } from './identity_rows.js'

/** Throws if the form of an action on a user or client does not repeat its name. */
export async function requireItsName(page: Page, path: string): Promise<void> {
  const { data } = await page.hub.read<{ data: Pick<UserRow, 'name'> }>('identity', path, {
    fields: 'name',
  })
  page.requireConfirmation(data.name, `/people${path}`)
}
