import { BaseSchema } from '@adonisjs/lucid/schema'

/** When nodes were online, and what they report about themselves. */
export default class KeepPresenceOfNodes extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table node_sightings
        add column version varchar(64),
        add column clock_difference_ms integer,
        add column started_at timestamptz(3);
      create table node_presence_spans (
        node_id uuid not null references nodes (id) on delete cascade,
        online_since timestamptz(3) not null,
        offline_since timestamptz(3),
        primary key (node_id, online_since)
      );
      insert into node_presence_spans (node_id, online_since) select id, now() from nodes where online`)
  }

  async down() {
    this.schema.raw(`
      drop table node_presence_spans;
      alter table node_sightings drop column version, drop column clock_difference_ms, drop column started_at`)
  }
}
