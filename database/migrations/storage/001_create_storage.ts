import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'
import { maintainTotals } from '#database/maintained_totals'

export default class CreateStorage extends BaseSchema {
  async up() {
    const statements = [
      'create extension if not exists pg_trgm',
      ...BUCKETS,
      ...FILES,
      ...UPLOADS,
      ...maintainTotals('bucket_files', 'realm_id'),
      ...maintainTotals('buckets', 'realm_id'),
    ]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

const BUCKETS = [
  `create table buckets (
    id uuid primary key, name varchar(256) not null,
    region varchar(256), actor_id uuid, actor_type varchar(64), realm_id uuid,
    ref_type varchar(64), ref_id varchar(64),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
  index.text('buckets', 'name'),
  index.match('buckets', 'name'),
  index.text('buckets', 'actor_type'),
  index.text('buckets', 'ref_type', 'ref_id'),
  ...index.values('buckets', 'actor_id', 'realm_id', 'ref_id', 'created_at', 'updated_at'),

  // The locations of a bucket's objects. No foreign key: a location exists before its bucket and after it.
  `create table bucket_locations (
    bucket_id uuid not null, layout text not null,
    registered_at timestamptz(3) not null default now(),
    primary key (bucket_id, layout)
  )`,

  // No foreign key: core may lock a bucket that storage does not have yet.
  `create table bucket_locks (
    lock_id uuid not null, bucket_id uuid not null,
    created_at timestamptz(3) not null default now(),
    primary key (lock_id, bucket_id)
  )`,
  ...index.plain('bucket_locks', 'bucket_id'),
]

const FILES = [
  `create table bucket_files (
    id uuid primary key, name varchar(256) not null,
    path varchar(512) not null, directory varchar(512),
    hash varchar(4096) not null, layout text not null default 'own',
    sha256 text, size bigint,
    actor_type varchar(64) not null, actor_id uuid not null, realm_id uuid,
    bucket_id uuid not null references buckets on delete cascade,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    unique (bucket_id, path)
  )`,
  ...['name', 'directory'].flatMap((column) => [
    index.text('bucket_files', column),
    index.match('bucket_files', column),
    index.textOrder('bucket_files', column),
  ]),
  index.text('bucket_files', 'actor_type'),
  'create index bucket_files_object on bucket_files (bucket_id, hash)',
  ...index.values('bucket_files', 'actor_id', 'realm_id', 'bucket_id', 'created_at', 'updated_at'),
]

/**
 * A claim reserves a path until its file is stored. The id of a resumable upload is that of its claim, and later of the
 * file: which of the two exists tells whether the upload is finished.
 */
const UPLOADS = [
  `create table bucket_file_claims (
    id uuid primary key,
    bucket_id uuid not null references buckets on delete cascade,
    path varchar(512) not null, hash varchar(4096) not null,
    layout text not null, expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default now(),
    unique (bucket_id, path)
  )`,
  'create index bucket_file_claims_object on bucket_file_claims (bucket_id, hash)',
  ...index.plain('bucket_file_claims', 'expires_at'),

  `create table resumable_uploads (
    id uuid primary key,
    bucket_id uuid not null references buckets on delete cascade,
    path varchar(512) not null, hash varchar(4096) not null,
    layout text not null, length bigint, metadata text not null,
    actor_type varchar(64) not null, actor_id uuid not null, realm_id uuid,
    stored bigint not null default 0, object jsonb not null, digest bytea,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default now()
  )`,
  ...index.plain('resumable_uploads', 'bucket_id', 'expires_at'),
  'create index resumable_uploads_actor on resumable_uploads (actor_id, actor_type)',
]
