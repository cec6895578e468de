import 'reflect-metadata'

import { existsSync } from 'node:fs'

import { surfacesOf } from '#configuration/processes'
import { needsEmbeddedDatabase } from '#configuration/embedded_drivers'
import { pools } from '#database/pools'
import { locateEmbeddedPostgres } from '#embedded/locate'
import { CommandLine } from '#runtime/command_line'
import { startOwnDatabase, type OwnDatabase } from '#runtime/own_database'
import { env } from '#start/env'

/** Commands that start the embedded database themselves if the hub is not running. */
const STARTS_OWN_DATABASE = ['backup', 'restore', 'audit:verify']
/** Any other command would find an empty database, and call that intact or whole. */
const MAKES_OWN_DATABASE = 'restore'

const [command = ''] = process.argv.slice(2)
let database: OwnDatabase | undefined

/** Other commands use the embedded database of a running hub. */
if (needsEmbeddedDatabase(surfacesOf(env), env)) {
  const folder = `${env.DATA_DIR}/postgres`
  const running = await locateEmbeddedPostgres(folder)
  if (running) {
    pools.embeddedUrl = running
  } else if (
    STARTS_OWN_DATABASE.includes(command) &&
    (existsSync(folder) || command === MAKES_OWN_DATABASE)
  ) {
    database = await startOwnDatabase(surfacesOf(env), env)
  }
}

await new CommandLine(async () => database?.stop()).run(process.argv.slice(2))
