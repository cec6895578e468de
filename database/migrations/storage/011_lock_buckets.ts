import { BaseSchema } from '@adonisjs/lucid/schema'

/** Locks on buckets. No foreign key: core may lock a bucket that storage does not have yet. */
export default class LockBuckets extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table bucket_locks (
        lock_id uuid not null,
        bucket_id uuid not null,
        created_at timestamptz(3) not null default now(),
        primary key (lock_id, bucket_id)
      )`)
    this.schema.raw('create index bucket_locks_bucket_id on bucket_locks (bucket_id)')
  }

  async down() {
    this.schema.dropTable('bucket_locks')
  }
}
