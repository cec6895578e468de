import { BaseSchema } from '@adonisjs/lucid/schema'

import { renameColumn, renameTable } from '#database/renames'

/** Names that the manual of PostgreSQL explains. Processes of earlier versions must have ended. */
export default class RenameToPlainWords extends BaseSchema {
  async up() {
    const statements = [
      ...renameTable('bucket_places', 'bucket_locations'),
      ...renameColumn('bucket_locations', 'made_at', 'registered_at'),
      ...renameColumn('bucket_file_claims', 'held_until', 'expires_at'),
      'alter index bucket_file_claims_held_until rename to bucket_file_claims_expires_at',
    ]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}
