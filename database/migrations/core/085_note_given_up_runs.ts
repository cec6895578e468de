import { BaseSchema } from '@adonisjs/lucid/schema'

/** Whether the platform gave a run up by itself, because no worker was heard: a worker that turns up later is believed. */
export default class NoteGivenUpRuns extends BaseSchema {
  async up() {
    this.schema.raw('alter table analysis_runs add column given_up_at timestamptz(3)')
  }

  async down() {
    this.schema.raw('alter table analysis_runs drop column given_up_at')
  }
}
