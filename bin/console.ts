import 'reflect-metadata'

import { surfacesOf } from '#configuration/processes'
import { needsEmbeddedDatabase } from '#configuration/embedded_drivers'
import { pools } from '#database/pools'
import { locateEmbeddedPostgres } from '#embedded/locate'
import { CommandLine } from '#runtime/command_line'
import { startOwnDatabase, type OwnDatabase } from '#runtime/own_database'
import { env } from '#start/env'

/** Commands that start the embedded database themselves if the hub is not running. */
const STARTS_OWN_DATABASE = ['backup', 'restore']

const [command = ''] = process.argv.slice(2)
let database: OwnDatabase | undefined

/** Other commands use the embedded database of a running hub. */
if (needsEmbeddedDatabase(surfacesOf(env), env)) {
  const running = await locateEmbeddedPostgres(`${env.DATA_DIR}/postgres`)
  if (running) {
    pools.embeddedUrl = running
  } else if (STARTS_OWN_DATABASE.includes(command)) {
    database = await startOwnDatabase(surfacesOf(env), env)
  }
}

await new CommandLine(async () => database?.stop()).run(process.argv.slice(2))
