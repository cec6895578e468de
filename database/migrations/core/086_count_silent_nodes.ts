import { BaseSchema } from '@adonisjs/lucid/schema'

/** An analysis is executed once every node that approved it has reported that; those that were shown so before a node did are corrected. */
export default class CountSilentNodes extends BaseSchema {
  async up() {
    this.schema.raw(`
      update analyses a set execution_status = 'executing', execution_progress = n.progress
      from (
        select analysis_id, floor(avg(coalesce(execution_progress, 0)))::int as progress
        from analysis_nodes where approval_status = 'approved' group by analysis_id
        having bool_or(execution_status is null) and bool_and(coalesce(execution_status, 'executed') = 'executed')
      ) n
      where n.analysis_id = a.id and a.execution_status = 'executed'`)
  }

  /** What nodes reported is still there, and nothing was lost. */
  async down() {}
}
