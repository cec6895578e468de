import type { Redirect } from '#console/page'
import type { PageHandler } from '#console/page_runner'
import { requireItsName } from './require_its_name.js'

/** Blocks a user or a program, which ends its sessions at once, or unblocks it. */
export const changeAccount =
  (kind: 'user' | 'client', active: boolean): PageHandler =>
  async (page): Promise<Redirect> => {
    const path = `/${kind}s/${page.uuid('id')}`
    if (!active) {
      await requireItsName(page, path)
    }
    await page.hub.post('identity', path, { active })
    return page.redirect(`/people${path}`, `people.${kind}.${active ? 'unblocked' : 'blocked'}`)
  }
