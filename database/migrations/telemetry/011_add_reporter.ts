import { BaseSchema } from '@adonisjs/lucid/schema'

/** Who handed an event in, as JSON. Events of before have none: their seals do not cover one. */
export default class AddReporter extends BaseSchema {
  async up() {
    this.schema.raw('alter table events add column reported_by text')
  }

  async down() {
    this.schema.raw('alter table events drop column reported_by')
  }
}
