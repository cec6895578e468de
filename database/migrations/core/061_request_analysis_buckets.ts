import { BaseSchema } from '@adonisjs/lucid/schema'

/** Buckets requested from storage. A request outlives its analysis, so that its bucket can be deleted. */
export default class RequestAnalysisBuckets extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_bucket_requests (
        correlation_id varchar(64) primary key,
        analysis_id uuid not null,
        type varchar(16) not null,
        asked_at timestamptz(3) not null default now()
      )`)
    this.schema.raw(
      'create index analysis_bucket_requests_analysis_id on analysis_bucket_requests (analysis_id, type)'
    )
  }

  async down() {
    this.schema.dropTable('analysis_bucket_requests')
  }
}
