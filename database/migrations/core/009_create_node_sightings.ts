import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateNodeSightings extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table node_sightings (
        client_id uuid primary key,
        seen_at timestamptz(3) not null
      )`)
  }

  async down() {
    this.schema.dropTable('node_sightings')
  }
}
