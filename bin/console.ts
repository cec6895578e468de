import 'reflect-metadata'

import { prettyPrintError } from '@adonisjs/core'

import { surfacesOf } from '#configuration/processes'
import { DatabaseUnnamed, needsEmbeddedDatabase, useEmbeddedDatabase } from '#database/addresses'
import { locateEmbeddedPostgres } from '#embedded/locate'
import { createIgnitor } from '#runtime/application'
import { startOwnDatabase, type OwnDatabase } from '#runtime/own_database'
import { env } from '#start/env'

/** Those that also work while the hub does not run, and bring up its embedded database themselves then. */
const WITH_OWN_DATABASE = ['backup', 'restore']

const [command = ''] = process.argv.slice(2)
let database: OwnDatabase | undefined

/** Other commands work on the embedded database of a running hub; without one, those that need a database say so. */
if (needsEmbeddedDatabase(surfacesOf(env))) {
  const running = await locateEmbeddedPostgres(`${env.DATA_DIR}/postgres`)
  if (running) {
    useEmbeddedDatabase(running)
  } else if (WITH_OWN_DATABASE.includes(command)) {
    database = await startOwnDatabase(surfacesOf(env))
  }
}

createIgnitor()
  .tap((app) => {
    app.listen('SIGTERM', () => app.terminate())
    // What the operator can mend is said in a sentence, all else with its stack.
    app.booted(async () => {
      const ace = await app.container.make('ace')
      const { errorHandler } = ace
      ace.errorHandler = {
        render: async (error, kernel) =>
          error instanceof DatabaseUnnamed
            ? kernel.ui.logger.error(error.message)
            : errorHandler.render(error, kernel),
      }
    })
  })
  .ace()
  .handle(process.argv.slice(2))
  .catch((error: unknown) => {
    process.exitCode = 1
    void prettyPrintError(error)
  })
  .finally(() => database?.stop())
