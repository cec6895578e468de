import { BaseSchema } from '@adonisjs/lucid/schema'

/** The current run of each process of an analysis, and the time of the last report of its worker. */
export default class FollowRuns extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_runs (
        analysis_id uuid not null references analyses on delete cascade,
        process varchar(16) not null,
        run varchar(64) not null,
        begun_at timestamptz(3) not null default now(),
        heard_at timestamptz(3) not null default now(),
        check_asked_at timestamptz(3),
        problem text,
        primary key (analysis_id, process)
      )`)
    this.schema.raw('create index analysis_runs_heard_at on analysis_runs (heard_at)')
    for (const process of ['build', 'distribution']) {
      this.schema.raw(`
        insert into analysis_runs (analysis_id, process, run, begun_at, heard_at)
        select id, '${process}', '', updated_at, updated_at from analyses
        where ${process}_status is not null`)
    }
  }

  async down() {
    this.schema.dropTable('analysis_runs')
  }
}
