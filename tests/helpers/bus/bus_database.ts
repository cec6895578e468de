import CreateInbox from '#migrations/bus/002_create_inbox'
import CreateDeadLetters from '#migrations/bus/003_create_dead_letters'

import { emptyDatabase } from '#tests/helpers/database/empty_database'

/**
 * A database with the tables of consumers and nothing else.
 */
export async function busDatabase() {
  const database = await emptyDatabase()
  await database.up(CreateInbox, CreateDeadLetters)
  return database
}
