import { BaseSchema } from '@adonisjs/lucid/schema'

import { dropGroupTotals, maintainGroupTotals } from '#database/maintained_totals'

/** Stored totals of event lists by kind of record. */
export default class KeepTotalsOfGroups extends BaseSchema {
  async up() {
    maintainGroupTotals('events', 'realm_id').forEach((statement) => this.schema.raw(statement))
  }

  async down() {
    dropGroupTotals('events').forEach((statement) => this.schema.raw(statement))
  }
}
