import { BaseSchema } from '@adonisjs/lucid/schema'

/** Relinks projects in the image folder, which gives them an account. */
export default class LinkFoldersOfImagesAnew extends BaseSchema {
  async up() {
    this.schema.raw(`
      update registry_links set settled_at = now() - interval '2 days'
      where settled_at is not null
        and registry_id in (select id from registries where host = 'local-images')`)
  }

  async down() {}
}
