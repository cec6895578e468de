import { BaseSchema } from '@adonisjs/lucid/schema'

/** Members of a realm find what somebody did without reading the events of others, since the index has the realm. */
export default class AddRealmToEventsOfActors extends BaseSchema {
  async up() {
    this.#replace('include (realm_id)')
  }

  async down() {
    this.#replace('')
  }

  #replace(more: string): void {
    this.schema.raw(
      `create index "events_actor_newest_anew" on events (actor_id, created_at, id) ${more} where actor_id is not null`
    )
    this.schema.raw('drop index "events_actor_newest"')
    this.schema.raw('alter index "events_actor_newest_anew" rename to "events_actor_newest"')
  }
}
