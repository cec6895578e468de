import { BaseSchema } from '@adonisjs/lucid/schema'

/** An analysis is executed when all nodes that approved it have reported that. Corrects analyses that were marked too early. */
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

  /** The reports of nodes are unchanged, so there is nothing to restore. */
  async down() {}
}
