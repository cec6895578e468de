import { BaseSchema } from '@adonisjs/lucid/schema'

/** Clients of nodes and analyses are displayed by their name, the id of the record. */
export default class DisplayClientsOfRecords extends BaseSchema {
  async up() {
    this.schema.raw(`update clients set display_name = name, updated_at = now()
      where not built_in and coalesce(display_name, '') = ''
        and name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`)
  }

  async down() {}
}
