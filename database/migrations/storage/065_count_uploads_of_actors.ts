import { BaseSchema } from '@adonisjs/lucid/schema'

/** The unfinished uploads of an actor are counted before another one starts. */
export default class CountUploadsOfActors extends BaseSchema {
  async up() {
    this.schema.raw(
      'create index resumable_uploads_actor on resumable_uploads (actor_id, actor_type)'
    )
  }

  async down() {
    this.schema.raw('drop index resumable_uploads_actor')
  }
}
