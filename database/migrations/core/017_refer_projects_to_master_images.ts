import { BaseSchema } from '@adonisjs/lucid/schema'

export default class ReferProjectsToMasterImages extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table projects add constraint projects_master_image_id_foreign
        foreign key (master_image_id) references master_images on delete set null`)
  }

  async down() {
    this.schema.raw('alter table projects drop constraint projects_master_image_id_foreign')
  }
}
