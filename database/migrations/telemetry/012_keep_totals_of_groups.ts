import { BaseSchema } from '@adonisjs/lucid/schema'

import { dropGroupTotals, maintainGroupTotals } from '#database/maintained_totals'

/** Lists of events about one kind of record need not be counted. */
export default class KeepTotalsOfGroups extends BaseSchema {
  async up() {
    maintainGroupTotals('events', 'realm_id').forEach((statement) => this.schema.raw(statement))
  }

  async down() {
    dropGroupTotals('events').forEach((statement) => this.schema.raw(statement))
  }
}
