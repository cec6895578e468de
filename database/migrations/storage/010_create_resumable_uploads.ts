import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The state of resumable uploads. The id is that of the claim, and later of the file: which of the two exists tells
 * whether an upload is finished.
 */
export default class CreateResumableUploads extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table resumable_uploads (
        id uuid primary key,
        bucket_id uuid not null references buckets on delete cascade,
        path varchar(512) not null,
        hash varchar(4096) not null,
        layout text not null,
        length bigint,
        metadata text not null,
        actor_type varchar(64) not null,
        actor_id uuid not null,
        realm_id uuid,
        stored bigint not null default 0,
        object jsonb not null,
        digest bytea,
        expires_at timestamptz(3) not null,
        created_at timestamptz(3) not null default now()
      )`)
    this.schema.raw('create index resumable_uploads_bucket_id on resumable_uploads (bucket_id)')
    this.schema.raw('create index resumable_uploads_expires_at on resumable_uploads (expires_at)')
  }

  async down() {
    this.schema.dropTable('resumable_uploads')
  }
}
