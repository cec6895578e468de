import type { Page, Redirect } from '#console/page'
import { deadLetters } from './dead_letter.js'

const pathOf = (id: string) => `/admin/bus/dead/${encodeURIComponent(id)}`

/** Returns a dead letter to its queue. */
export async function redriveLetter(page: Page): Promise<Redirect> {
  await page.hub.post('core', `${pathOf(page.params.id ?? '')}/redrive`)
  return page.redirect('/system/dead', 'system.dead.redriven')
}

/** Returns all dead letters of a queue that are listed. */
export async function redriveQueue(page: Page): Promise<Redirect> {
  const letters = await deadLetters(page)
  for (const { id, queue } of letters) {
    if (queue === page.form.queue) {
      await page.hub.post('core', `${pathOf(id)}/redrive`)
    }
  }
  return page.redirect('/system/dead', 'system.dead.redriven')
}

/** Deletes a dead letter. */
export async function dropLetter(page: Page): Promise<Redirect> {
  await page.hub.delete('core', pathOf(page.params.id ?? ''))
  return page.redirect('/system/dead', 'system.dead.dropped')
}
