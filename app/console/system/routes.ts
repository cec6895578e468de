import type { PageRoutes } from '#console/page_routes'
import { dropLetter, redriveLetter, redriveQueue } from './dead_letter_actions.js'
import { showDeadLetters } from './dead_letters_page.js'
import { examine, runSweep } from './system_actions.js'
import { showSystem } from './system_page.js'

export function systemRoutes(pages: PageRoutes): void {
  pages
    .page('/system', 'showSystem', 'Whether all parts work, and what waits', showSystem)
    .action('/system/examination', 'examine', 'Let the doctor examine the installation', examine)
    .action('/system/sweeps/:name', 'runSweep', 'Run a sweep now', runSweep)
    .page(
      '/system/dead',
      'showDeadLetters',
      'Messages that could not be processed',
      showDeadLetters
    )
    .action('/system/dead/redrive', 'redriveQueue', 'Redrive all of a queue', redriveQueue)
    .action('/system/dead/:id/redrive', 'redriveLetter', 'Redrive a dead letter', redriveLetter)
    .action('/system/dead/:id/drop', 'dropLetter', 'Delete a dead letter', dropLetter)
}
