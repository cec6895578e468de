import { emptyDatabase } from '#tests/helpers/database/empty_database'

/**
 * A database with the tables of the bus and nothing else.
 */
export async function busDatabase() {
  const database = await emptyDatabase()
  await database.migrate('bus')
  return database
}
