import { BaseSchema } from '@adonisjs/lucid/schema'

/** The trace of the command that started a run, as W3C `traceparent`; nodes continue it. */
export default class KeepTracesOfRuns extends BaseSchema {
  async up() {
    this.schema.raw('alter table analysis_runs add column traceparent varchar(55)')
  }

  async down() {
    this.schema.raw('alter table analysis_runs drop column traceparent')
  }
}
