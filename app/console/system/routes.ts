import type { PageRoutes } from '#console/page_routes'
import { dropLetter, redriveLetter, redriveQueue } from './dead_letter_actions.js'
import { showDeadLetters } from './dead_letters_page.js'
import { examine, runSweep } from './system_actions.js'
import { showSystem } from './system_page.js'

export function systemRoutes(pages: PageRoutes): void {
  pages
    .page('/system', 'showSystem', 'Show the state of the services, queues and sweeps', showSystem)
    .action('/system/examination', 'examine', 'Start an examination by the doctor', examine)
    .action('/system/sweeps/:name', 'runSweep', 'Run a sweep now', runSweep)
    .page('/system/dead', 'showDeadLetters', 'List the dead letters of each queue', showDeadLetters)
    .action(
      '/system/dead/redrive',
      'redriveQueue',
      'Return all dead letters of a queue to it',
      redriveQueue
    )
    .action(
      '/system/dead/:id/redrive',
      'redriveLetter',
      'Return a dead letter to its queue',
      redriveLetter
    )
    .action('/system/dead/:id/drop', 'dropLetter', 'Delete a dead letter', dropLetter)
}
