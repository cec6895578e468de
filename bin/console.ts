import 'reflect-metadata'

import { surfacesOf } from '#configuration/processes'
import { needsEmbeddedDatabase, useEmbeddedDatabase } from '#database/addresses'
import { locateEmbeddedPostgres } from '#embedded/locate'
import { CommandLine } from '#runtime/command_line'
import { startOwnDatabase, type OwnDatabase } from '#runtime/own_database'
import { env } from '#start/env'

/** Those that also work while the hub does not run, and bring up its embedded database themselves then. */
const STARTS_OWN_DATABASE = ['backup', 'restore']

const [command = ''] = process.argv.slice(2)
let database: OwnDatabase | undefined

/** Other commands work on the embedded database of a running hub; without one, those that need a database say so. */
if (needsEmbeddedDatabase(surfacesOf(env))) {
  const running = await locateEmbeddedPostgres(`${env.DATA_DIR}/postgres`)
  if (running) {
    useEmbeddedDatabase(running)
  } else if (STARTS_OWN_DATABASE.includes(command)) {
    database = await startOwnDatabase(surfacesOf(env))
  }
}

await new CommandLine(async () => database?.stop()).run(process.argv.slice(2))
