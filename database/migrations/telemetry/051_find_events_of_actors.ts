import { BaseSchema } from '@adonisjs/lucid/schema'

/** The index for what somebody did, the newest first. */
export default class FindEventsOfActors extends BaseSchema {
  async up() {
    this.schema.raw(
      'create index "events_actor_newest" on events (actor_id, created_at, id) where actor_id is not null'
    )
  }

  async down() {
    this.schema.raw('drop index "events_actor_newest"')
  }
}
