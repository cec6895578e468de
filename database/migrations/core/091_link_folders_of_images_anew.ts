import { BaseSchema } from '@adonisjs/lucid/schema'

/** Projects in the folder of images get an account with their next link, which so is due. */
export default class LinkFoldersOfImagesAnew extends BaseSchema {
  async up() {
    this.schema.raw(`
      update registry_links set settled_at = now() - interval '2 days'
      where settled_at is not null
        and registry_id in (select id from registries where host = 'local-images')`)
  }

  async down() {}
}
