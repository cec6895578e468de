import type { Page, Redirect } from '#console/page'

/** Blocks a user, which ends its sessions at once. */
export const blockUser = (page: Page): Promise<Redirect> => changeUser(page, false)

export const unblockUser = (page: Page): Promise<Redirect> => changeUser(page, true)

/** Ends the sessions of a user, who may sign in again. */
export async function endSessions(page: Page): Promise<Redirect> {
  const id = page.uuid('id')
  await page.hub.delete('identity', `/users/${id}/sessions`)
  return page.redirect(`/people/users/${id}`, 'people.user.sessionsEnded')
}

async function changeUser(page: Page, active: boolean): Promise<Redirect> {
  const id = page.uuid('id')
  await page.hub.post('identity', `/users/${id}`, { active })
  return page.redirect(
    `/people/users/${id}`,
    active ? 'people.user.unblocked' : 'people.user.blocked'
  )
}
