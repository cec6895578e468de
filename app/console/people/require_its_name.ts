import type { Page } from '#console/page'
import type { UserRow } from './identity_rows.js'

/** Refuses an action on a user or program whose form does not repeat its name. */
export async function requireItsName(page: Page, path: string): Promise<void> {
  const { data } = await page.hub.read<{ data: Pick<UserRow, 'name'> }>('identity', path, {
    fields: 'name',
  })
  page.requireConfirmation(data.name, `/people${path}`)
}
