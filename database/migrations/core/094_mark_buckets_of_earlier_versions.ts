import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Processes of versions before 081 run beside newer ones during an upgrade. They delete a request whose bucket was created
 * without noting the bucket in it, and add the bucket without the mark.
 */
export default class MarkBucketsOfEarlierVersions extends BaseSchema {
  async up() {
    this.schema.raw(`
      create function mark_requested_bucket() returns trigger language plpgsql as $$
      begin
        update analysis_buckets set built_in = true where id = (
          select id from analysis_buckets where analysis_id = old.analysis_id and type = old.type
          order by built_in desc, created_at, id limit 1);
        return null;
      end $$`)
    // At the end of the transaction, when the bucket is there.
    this.schema.raw(`
      create constraint trigger mark_requested_bucket after delete on analysis_bucket_requests
        deferrable initially deferred for each row when (old.bucket_id is null)
        execute function mark_requested_bucket()`)
  }

  async down() {
    this.schema.raw('drop trigger mark_requested_bucket on analysis_bucket_requests')
    this.schema.raw('drop function mark_requested_bucket')
  }
}
