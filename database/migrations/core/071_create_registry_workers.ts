import { BaseSchema } from '@adonisjs/lucid/schema'

/** The account of the worker in each registry that manages accounts. */
export default class CreateRegistryWorkers extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table registry_workers (
        registry_id uuid primary key references registries on delete cascade,
        account_id text,
        account_name text,
        account_secret text,
        problem text,
        settled_at timestamptz(3)
      )`)
  }

  async down() {
    this.schema.dropTable('registry_workers')
  }
}
