import { BaseSchema } from '@adonisjs/lucid/schema'

/** What the limits of a node do not cover, as it reports. */
export default class NoteWhatNodesDoNotBound extends BaseSchema {
  async up() {
    this.schema.raw('alter table node_sightings add column unbounded varchar(64)[]')
  }

  async down() {
    this.schema.raw('alter table node_sightings drop column unbounded')
  }
}
