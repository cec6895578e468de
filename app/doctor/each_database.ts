import { NOT_USED } from './check.js'
import type { Finding } from './finding.js'
import type { Database, CheckContext } from './check_context.js'

/** Checks all databases concurrently. */
export async function eachDatabase(
  { databases }: CheckContext,
  check: (database: Database) => Promise<readonly Finding[]>
): Promise<readonly Finding[] | typeof NOT_USED> {
  if (databases.length === 0) {
    return NOT_USED
  }
  const found = await Promise.all(databases.map((database) => check(database)))
  return found.flat()
}
