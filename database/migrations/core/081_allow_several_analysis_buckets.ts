import { BaseSchema } from '@adonisjs/lucid/schema'

/** Deletes duplicates in these columns, except the first row. */
const firstOf = (columns: string, order: string) => `
  delete from analysis_buckets where id not in (
    select distinct on (${columns}) id from analysis_buckets order by ${columns}, ${order})`

/**
 * Allows several buckets of a type per analysis. The platform creates one of each type, which the existing ones are. A request
 * stores its bucket until all of them can be inserted together.
 */
export default class AllowSeveralAnalysisBuckets extends BaseSchema {
  async up() {
    this.schema.raw(
      'alter table analysis_buckets add column built_in boolean not null default false'
    )
    this.schema.raw('update analysis_buckets set built_in = true')
    this.schema.raw(
      'alter table analysis_buckets drop constraint analysis_buckets_analysis_id_type_key'
    )
    this.schema.raw(firstOf('bucket_id, analysis_id', 'type, id'))
    this.schema.raw('alter table analysis_buckets add unique (bucket_id, analysis_id)')
    this.schema.raw(
      'create unique index analysis_buckets_built_in on analysis_buckets (analysis_id, type) where built_in'
    )
    this.schema.raw('alter table analysis_bucket_requests add column bucket_id uuid')
  }

  async down() {
    this.schema.raw('alter table analysis_bucket_requests drop column bucket_id')
    this.schema.raw('drop index analysis_buckets_built_in')
    this.schema.raw(
      'alter table analysis_buckets drop constraint analysis_buckets_bucket_id_analysis_id_key'
    )
    this.schema.raw(firstOf('analysis_id, type', 'built_in desc, created_at, id'))
    this.schema.raw('alter table analysis_buckets add unique (analysis_id, type)')
    this.schema.raw('alter table analysis_buckets drop column built_in')
  }
}
