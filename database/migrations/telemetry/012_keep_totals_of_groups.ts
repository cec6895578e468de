import { BaseSchema } from '@adonisjs/lucid/schema'

import { dropGroups, keepGroups } from '#database/kept_totals'

/** Lists of events about one kind of record need not be counted. */
export default class KeepTotalsOfGroups extends BaseSchema {
  async up() {
    keepGroups('events', 'realm_id').forEach((statement) => this.schema.raw(statement))
  }

  async down() {
    dropGroups('events').forEach((statement) => this.schema.raw(statement))
  }
}
