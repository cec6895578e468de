import { BaseSchema } from '@adonisjs/lucid/schema'

/** The reporter of an event, as JSON. Null for older events, whose seals do not cover it. */
export default class AddReporter extends BaseSchema {
  async up() {
    this.schema.raw('alter table events add column reported_by text')
  }

  async down() {
    this.schema.raw('alter table events drop column reported_by')
  }
}
