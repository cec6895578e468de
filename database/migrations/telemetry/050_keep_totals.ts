import { BaseSchema } from '@adonisjs/lucid/schema'

import { dropTotals, maintainTotals } from '#database/maintained_totals'

/** The lists with stored totals, and the column that names the realm of their parts. */
const LISTS = [['events', 'realm_id']] as const

export default class KeepTotals extends BaseSchema {
  async up() {
    for (const [table, realm] of LISTS) {
      maintainTotals(table, realm).forEach((statement) => this.schema.raw(statement))
    }
  }

  async down() {
    for (const [table, realm] of LISTS) {
      dropTotals(table, realm).forEach((statement) => this.schema.raw(statement))
    }
  }
}
