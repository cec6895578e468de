import type { Page, View } from '#console/page'

/** What waits for the user. */
export async function showNeeds(page: Page): Promise<View> {
  return page.view('needs/overview', { title: page.t('needs.title') })
}
