import { BaseSchema } from '@adonisjs/lucid/schema'

/** Records the problem of a failed build or distribution in the history, where it survives a retry. */
export default class KeepProblems extends BaseSchema {
  async up() {
    this.schema.raw(`
      create function keep_problem() returns trigger language plpgsql as $$
      begin
        insert into status_history (subject_id, name, value)
        values (new.analysis_id, new.process || '_problem', new.problem);
        return null;
      end $$`)
    this.schema.raw(`
      create trigger keep_problem after update of problem on analysis_runs for each row
      when (new.problem is not null and old.problem is distinct from new.problem)
      execute function keep_problem()`)
  }

  async down() {
    this.schema.raw('drop trigger keep_problem on analysis_runs')
    this.schema.raw('drop function keep_problem')
    this.schema.raw(`delete from status_history where name like '%\\_problem'`)
  }
}
