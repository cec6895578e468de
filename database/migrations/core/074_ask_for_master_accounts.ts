import { BaseSchema } from '@adonisjs/lucid/schema'

/** Registries that are looked after already are asked for the second account, and to take from the first what it could write until now. */
export default class AskForMasterAccounts extends BaseSchema {
  async up() {
    this.schema.raw(`
      insert into tasks (queue, key, data, due_at)
      select 'registry-worker', id, jsonb_build_object('registryId', id), now() from registries
      where account_name is not null and account_secret is not null
      on conflict do nothing`)
  }

  /** What was asked for is done or not; the first account is brought back into line within a day. */
  async down() {}
}
