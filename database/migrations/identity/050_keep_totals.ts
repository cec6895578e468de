import { BaseSchema } from '@adonisjs/lucid/schema'

import { dropTotals, maintainTotals } from '#database/maintained_totals'

/** The lists with stored totals, each with its realm column. */
const LISTS = [
  ['client_permissions', 'client_realm_id'],
  ['client_roles', 'client_realm_id'],
  ['client_scopes', 'client_realm_id'],
  ['clients', 'realm_id'],
  ['identity_providers', 'realm_id'],
  ['permissions', 'realm_id'],
  ['policies', 'realm_id'],
  ['realms', 'id'],
  ['role_permissions', 'role_realm_id'],
  ['roles', 'realm_id'],
  ['scopes', 'realm_id'],
  ['user_permissions', 'user_realm_id'],
  ['user_roles', 'user_realm_id'],
  ['users', 'realm_id'],
] as const

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
