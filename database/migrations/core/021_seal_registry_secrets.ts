import { BaseSchema } from '@adonisjs/lucid/schema'

import { rewriteColumn } from '#database/rewrite_column'
import { seal, unseal } from '#records/sealing'

const SECRETS = [
  { table: 'registries', column: 'account_secret', purpose: 'registry account' },
  { table: 'registry_projects', column: 'account_secret', purpose: 'registry project account' },
  { table: 'registry_links', column: 'new_secret', purpose: 'chosen registry secret' },
] as const

export default class SealRegistrySecrets extends BaseSchema {
  async up() {
    for (const { table, column } of SECRETS) {
      this.schema.raw(`alter table ${table} alter column ${column} type text`)
    }
    this.defer(async (client) => {
      for (const { purpose, ...place } of SECRETS) {
        await rewriteColumn(client, place, (plain) => seal(purpose, plain))
      }
    })
  }

  async down() {
    this.defer(async (client) => {
      for (const { purpose, ...place } of SECRETS) {
        await rewriteColumn(client, place, (sealed) => unseal(purpose, sealed))
      }
    })
  }
}
