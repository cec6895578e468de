import type { Page, Redirect } from '#console/page'

/** Ends the sessions of a user, who may sign in again. */
export async function endSessions(page: Page): Promise<Redirect> {
  const id = page.uuid('id')
  await page.hub.delete('identity', `/users/${id}/sessions`)
  return page.redirect(`/people/users/${id}`, 'people.user.sessionsEnded')
}
