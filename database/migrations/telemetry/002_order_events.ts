import { BaseSchema } from '@adonisjs/lucid/schema'

/** Indexes in the order of event lists, the newest first. */
export default class OrderEvents extends BaseSchema {
  async up() {
    Object.keys(FORMER_INDEXES).forEach((name) => this.schema.raw(`drop index "${name}"`))
    Object.entries(INDEXES).forEach(([name, definition]) =>
      this.schema.raw(`create index "${name}" on events ${definition}`)
    )
    const often = SETTINGS.map((name) => `${name} = 0.02`)
    this.schema.raw(`alter table events set (${often.join()})`)
  }

  async down() {
    this.schema.raw(`alter table events reset (${SETTINGS.join()})`)
    Object.keys(INDEXES).forEach((name) => this.schema.raw(`drop index "${name}"`))
    Object.entries(FORMER_INDEXES).forEach(([name, definition]) =>
      this.schema.raw(`create index "${name}" on events ${definition}`)
    )
  }
}

const INDEXES = {
  events_scope_newest: '(lower("scope"), created_at)',
  events_name_scope_newest: '(lower("name"), lower("scope"), created_at)',
  events_ref_newest: '(lower("ref_type"), lower("ref_id"), created_at)',
  events_ref_id: '(lower("ref_id"))',
  events_realm_newest: '(realm_id, created_at, id)',
  events_newest: '(created_at, id)',
}

const FORMER_INDEXES = {
  events_scope_text: '(lower("scope"), id)',
  events_name_scope_text: '(lower("name"), scope, id)',
  events_ref_type_ref_id_text: '(lower("ref_type"), ref_id, id)',
  events_ref_id_text: '(lower("ref_id"), id)',
  events_realm_id_value: '("realm_id", id)',
  events_created_at_value: '("created_at", id)',
  events_expires_at: '(expires_at) where expiring',
}

/** The share of changed rows that triggers vacuum. */
const SETTINGS = [
  'autovacuum_vacuum_scale_factor',
  'autovacuum_vacuum_insert_scale_factor',
  'autovacuum_analyze_scale_factor',
]
