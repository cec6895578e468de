import { BaseSchema } from '@adonisjs/lucid/schema'

export default class MakeRoomForPublicKeys extends BaseSchema {
  /** A key of 4096 characters has up to three bytes in each, and two digits for each byte. */
  async up() {
    this.schema.raw('alter table nodes alter column public_key type varchar(24576)')
  }

  async down() {
    this.schema.raw('alter table nodes alter column public_key type varchar(4096)')
  }
}
