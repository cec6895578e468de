/*
 * Prints the address of the database: the configured one, else that of the embedded server while it runs.
 * For scripts: psql "$(npm run -s db:url)"
 */
import { join } from 'node:path'
import { locateEmbeddedPostgres } from '#embedded/locate'

try {
  const { env } = await import('#start/env')
  const url = env.DATABASE_URL ?? (await locateEmbeddedPostgres(join(env.DATA_DIR, 'postgres')))
  if (!url) {
    throw new Error(
      'The embedded database is not running: start the hub with "npm start", or set DATABASE_URL.'
    )
  }
  console.log(url)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
