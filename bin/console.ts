import 'reflect-metadata'

import { prettyPrintError } from '@adonisjs/core'

import { surfacesOf } from '#configuration/processes'
import { needsEmbeddedDatabase, useEmbeddedDatabase } from '#database/addresses'
import { locateEmbeddedPostgres } from '#embedded/locate'
import { createIgnitor } from '#runtime/application'
import { env } from '#start/env'

/** Commands work on the embedded database of a running hub; without one, those that need a database say so. */
if (needsEmbeddedDatabase(surfacesOf(env))) {
  const running = await locateEmbeddedPostgres(`${env.DATA_DIR}/postgres`)
  if (running) {
    useEmbeddedDatabase(running)
  }
}

createIgnitor()
  .tap((app) => app.listen('SIGTERM', () => app.terminate()))
  .ace()
  .handle(process.argv.slice(2))
  .catch((error: unknown) => {
    process.exitCode = 1
    void prettyPrintError(error)
  })
