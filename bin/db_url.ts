/*
 * Prints the address of the database the hub uses: that of the environment, else that of the embedded server while it
 * runs. Meant for scripts: psql "$(npm run -s db:url)"
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { locateEmbeddedPostgres } from '#database/embedded/locate'

if (existsSync('.env')) process.loadEnvFile()

const url =
  process.env.DATABASE_URL ||
  (await locateEmbeddedPostgres(join(process.env.DATA_DIR || '.data', 'postgres')))
if (url) {
  console.log(url)
} else {
  console.error(
    'The embedded database is not running: start the hub with "npm start", or set DATABASE_URL.'
  )
  process.exitCode = 1
}
