import { BaseSchema } from '@adonisjs/lucid/schema'

/** When the platform marked a run as failed because its worker was silent. Later reports of the worker are accepted. */
export default class NoteGivenUpRuns extends BaseSchema {
  async up() {
    this.schema.raw('alter table analysis_runs add column given_up_at timestamptz(3)')
  }

  async down() {
    this.schema.raw('alter table analysis_runs drop column given_up_at')
  }
}
