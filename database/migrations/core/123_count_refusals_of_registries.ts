import { BaseSchema } from '@adonisjs/lucid/schema'

/** How often in a row a registry refused the account of the platform: it is asked more and more rarely. */
export default class CountRefusalsOfRegistries extends BaseSchema {
  async up() {
    this.schema.raw('alter table registry_states add column refusals integer not null default 0')
  }

  async down() {
    this.schema.raw('alter table registry_states drop column refusals')
  }
}
