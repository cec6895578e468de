import { BaseSchema } from '@adonisjs/lucid/schema'

/** Files that callers removed from analyses while storage still has them, so that no comparison adds them again. */
export default class RememberRemovedFiles extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table removed_analysis_files (
        analysis_bucket_id uuid not null references analysis_buckets on delete cascade,
        bucket_file_id uuid not null,
        removed_at timestamptz(3) not null default now(),
        primary key (analysis_bucket_id, bucket_file_id)
      );
      create index on removed_analysis_files (bucket_file_id)`)
  }

  async down() {
    this.schema.dropTable('removed_analysis_files')
  }
}
