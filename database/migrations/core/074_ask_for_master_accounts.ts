import { BaseSchema } from '@adonisjs/lucid/schema'

/** Creates the second account in existing registries, and revokes the permission of the first one to push master images. */
export default class AskForMasterAccounts extends BaseSchema {
  async up() {
    this.schema.raw(`
      insert into tasks (queue, key, data, due_at)
      select 'registry-worker', id, jsonb_build_object('registryId', id), now() from registries
      where account_name is not null and account_secret is not null
      on conflict do nothing`)
  }

  /** Tasks may be performed already. The first account is reconciled within a day. */
  async down() {}
}
