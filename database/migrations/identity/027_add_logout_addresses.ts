import { BaseSchema } from '@adonisjs/lucid/schema'

/** The back-channel logout address of a client, and the redirect addresses after a logout (OpenID Connect). */
export default class AddLogoutAddresses extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table clients
        add column backchannel_logout_uri varchar(2048),
        add column post_logout_redirect_uri varchar(4096)`)
  }

  async down() {
    this.schema.raw(`
      alter table clients drop column backchannel_logout_uri, drop column post_logout_redirect_uri`)
  }
}
