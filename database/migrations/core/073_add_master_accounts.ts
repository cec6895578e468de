import { BaseSchema } from '@adonisjs/lucid/schema'

/** A second account in each registry, which can only push master images. */
export default class AddMasterAccounts extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table registry_workers
        add column master_account_id text,
        add column master_account_name text,
        add column master_account_secret text`)
  }

  async down() {
    this.schema.raw(`
      alter table registry_workers
        drop column master_account_id,
        drop column master_account_name,
        drop column master_account_secret`)
  }
}
