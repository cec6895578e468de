import { BaseSchema } from '@adonisjs/lucid/schema'

/** Creates worker accounts in existing registries. */
export default class AskForRegistryWorkers extends BaseSchema {
  async up() {
    this.schema.raw(`
      insert into tasks (queue, key, data, due_at)
      select 'registry-worker', id, jsonb_build_object('registryId', id), now() from registries
      where account_name is not null and account_secret is not null`)
  }

  async down() {
    this.schema.raw("delete from tasks where queue = 'registry-worker'")
  }
}
