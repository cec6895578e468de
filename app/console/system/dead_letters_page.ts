import type { Page, View } from '#console/page'
import { deadLetters } from './dead_letter.js'

const MAX_SHOWN = 100

/** Lists messages that could not be processed, by queue. */
export async function showDeadLetters(page: Page): Promise<View> {
  const letters = await deadLetters(page)
  const queue = page.query.get('queue') ?? undefined
  const queues = Object.entries(Object.groupBy(letters, (letter) => letter.queue))
  const selected = queue === undefined ? letters : letters.filter((one) => one.queue === queue)
  return page.view('system/dead', {
    title: page.t('system.dead.title'),
    crumbs: [{ path: '/system', text: page.t('system.title') }],
    queues: queues.map(([name, own = []]) => ({ name, count: own.length })),
    queue,
    letters: selected.slice(0, MAX_SHOWN),
    total: selected.length,
  })
}
