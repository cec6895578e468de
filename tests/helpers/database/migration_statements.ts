import type { BaseSchema } from '@adonisjs/lucid/schema'

import { boot } from '#tests/helpers/application'

type Migration = new (...parameters: ConstructorParameters<typeof BaseSchema>) => BaseSchema

/** What a migration tells the database, for tests that have it meet records of an older installation. */
export async function statementsOf(migration: Migration, surface: string): Promise<string[]> {
  const app = await boot()
  const db = await app.container.make('lucid.db')
  const isDry = true
  return (await new migration(db.connection(surface), 'tested', isDry).execUp()) as string[]
}
